//! The queue under many tasks: nobody starves, no permit is lost, nothing stays behind.

use std::sync::atomic::{AtomicUsize, Ordering};

use model::{Credential, Reach, Roles, TokenScopes};
use uuid::Uuid;

use super::*;

fn caller(number: u128) -> Caller {
    Caller {
        workspace: WorkspaceId::new(Uuid::from_u128(1)),
        user: UserId::new(Uuid::from_u128(number)),
        agent: None,
        roles: Roles::NONE,
        reach: Reach::Member,
        token_scopes: TokenScopes::ALL,
        credential: Credential::Person,
    }
}

fn queue(concurrency: usize, waiting: usize, waiting_per_caller: usize) -> Queue {
    Queue::new(QueueSettings { concurrency, waiting, waiting_per_caller })
}

fn counts(running: usize, waiting: usize) -> QueueCounts {
    QueueCounts { running, waiting }
}

/// Lets every task go on until it waits.
async fn settle() {
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
}

/// Starts a task that waits for its turn, notes its name, and ends.
fn wait(queue: &Queue, number: u128, order: &Arc<Mutex<Vec<u128>>>) -> tokio::task::JoinHandle<()> {
    let (queue, order) = (queue.clone(), Arc::clone(order));
    tokio::spawn(async move {
        let _permit = queue.enter(&caller(number)).await.unwrap();
        order.lock().unwrap().push(number);
    })
}

#[tokio::test]
async fn what_fits_starts_at_once_and_the_rest_waits() {
    let queue = queue(2, 10, 10);
    let (one, two) = (queue.enter(&caller(1)).await.unwrap(), queue.enter(&caller(1)).await.unwrap());
    let order = Arc::default();
    let third = wait(&queue, 1, &order);
    settle().await;
    assert_eq!(queue.counts(), counts(2, 1));
    drop(one);
    third.await.unwrap();
    assert_eq!(queue.counts(), counts(1, 0));
    drop(two);
    assert_eq!(queue.counts(), counts(0, 0));
}

#[tokio::test]
async fn a_caller_with_many_does_not_delay_one_with_few() {
    let queue = queue(1, 1_000, 1_000);
    let busy = queue.enter(&caller(9)).await.unwrap();
    let order = Arc::default();
    let mut tasks: Vec<_> = (0..100).map(|_| wait(&queue, 1, &order)).collect();
    settle().await;
    tasks.extend([wait(&queue, 2, &order), wait(&queue, 3, &order), wait(&queue, 2, &order)]);
    settle().await;
    drop(busy);
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(order.lock().unwrap()[..7], [1, 2, 3, 1, 2, 1, 1]);
}

#[tokio::test]
async fn one_agent_does_not_stand_in_the_line_of_another() {
    let queue = queue(1, 10, 1);
    let _busy = queue.enter(&caller(1)).await.unwrap();
    let through = |agent| Caller { agent: Some(AgentId::new(Uuid::from_u128(agent))), ..caller(1) };
    let elsewhere = Caller { workspace: WorkspaceId::new(Uuid::from_u128(2)), ..caller(1) };
    for caller in [caller(1), through(1), through(2), elsewhere] {
        let queue = queue.clone();
        tokio::spawn(async move { queue.enter(&caller).await.map(drop) });
    }
    settle().await;
    assert_eq!(queue.counts(), counts(1, 4));
}

#[tokio::test]
async fn a_line_is_served_in_order() {
    let queue = queue(1, 100, 100);
    let busy = queue.enter(&caller(1)).await.unwrap();
    let order = Arc::new(Mutex::new(Vec::new()));
    let mut tasks = Vec::new();
    for number in 0..20 {
        let (queue, order) = (queue.clone(), Arc::clone(&order));
        tasks.push(tokio::spawn(async move {
            let _permit = queue.enter(&caller(1)).await.unwrap();
            order.lock().unwrap().push(number);
        }));
        settle().await;
    }
    drop(busy);
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(*order.lock().unwrap(), (0..20).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_full_queue_is_busy_for_all_and_a_full_line_for_its_caller() {
    let queue = queue(1, 3, 2);
    let _busy = queue.enter(&caller(9)).await.unwrap();
    let order = Arc::default();
    let tasks = [wait(&queue, 1, &order), wait(&queue, 1, &order)];
    settle().await;
    assert!(matches!(queue.enter(&caller(1)).await, Err(Error::Busy { .. })));
    let other = wait(&queue, 2, &order);
    settle().await;
    assert!(matches!(queue.enter(&caller(3)).await, Err(Error::Busy { .. })));
    assert_eq!(queue.counts(), counts(1, 3));
    other.abort();
    tasks[0].abort();
    settle().await;
    assert_eq!(queue.counts(), counts(1, 1));
}

#[tokio::test]
async fn a_waiter_that_gives_up_leaves_no_hole() {
    let queue = queue(1, 10, 10);
    let busy = queue.enter(&caller(1)).await.unwrap();
    let order = Arc::default();
    let (first, gone, last) = (wait(&queue, 1, &order), wait(&queue, 2, &order), wait(&queue, 3, &order));
    settle().await;
    gone.abort();
    settle().await;
    drop(busy);
    first.await.unwrap();
    last.await.unwrap();
    assert_eq!((order.lock().unwrap().clone(), queue.counts()), (vec![1, 3], counts(0, 0)));
}

#[tokio::test]
async fn a_permit_that_reaches_one_who_left_goes_on_to_the_next() {
    let queue = queue(1, 10, 10);
    let busy = queue.enter(&caller(1)).await.unwrap();
    let mut gone = Box::pin({
        let queue = queue.clone();
        async move { queue.enter(&caller(2)).await }
    });
    assert!(futures_poll(&mut gone).is_none());
    let order = Arc::default();
    let next = wait(&queue, 3, &order);
    settle().await;
    // It is called, but dropped before it looks.
    drop(busy);
    assert_eq!(queue.counts(), counts(1, 1));
    drop(gone);
    next.await.unwrap();
    assert_eq!(queue.counts(), counts(0, 0));
}

fn futures_poll<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::Pin::new(future).poll(&mut context) {
        std::task::Poll::Ready(output) => Some(output),
        std::task::Poll::Pending => None,
    }
}

/// Many tasks on several threads that come, wait, give up, execute and are ended at any point.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_permit_is_lost_whatever_happens_to_those_who_wait() {
    for round in 0_u64..20 {
        let queue = queue(3, 400, 100);
        let (at_once, most, refused) =
            (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let mut tasks = Vec::new();
        for number in 0..500_u64 {
            let chance =
                (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15 ^ round.wrapping_mul(0xff51_afd7)) >> 40;
            let (queue, at_once, most, refused) =
                (queue.clone(), Arc::clone(&at_once), Arc::clone(&most), Arc::clone(&refused));
            let task = tokio::spawn(async move {
                let Ok(_permit) = queue.enter(&caller(u128::from(chance % 7))).await else {
                    refused.fetch_add(1, Ordering::SeqCst);
                    return;
                };
                most.fetch_max(at_once.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                let _less_when_dropped = Less(at_once);
                for _ in 0..chance % 5 {
                    tokio::task::yield_now().await;
                }
            });
            if chance.is_multiple_of(3) {
                if chance.is_multiple_of(2) {
                    tokio::task::yield_now().await;
                }
                task.abort();
            }
            tasks.push(task);
        }
        for task in tasks {
            let _ = task.await;
        }
        assert_eq!(queue.counts(), counts(0, 0), "round {round}");
        assert!(most.load(Ordering::SeqCst) <= 3);
        let state = queue.0.state();
        assert!(state.lines.is_empty() && state.turns.is_empty());
    }
}

struct Less(Arc<AtomicUsize>);

impl Drop for Less {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Every history of a small queue, step by step: come, give up, end.
#[test]
fn every_short_history_keeps_the_books_right() {
    const STEPS: u32 = 7;
    for history in 0..5_u128.pow(STEPS) {
        let queue = queue(1, 3, 2);
        let mut running = Vec::new();
        let mut waiting: VecDeque<_> = VecDeque::new();
        let mut rest = history;
        for _ in 0..STEPS {
            match rest % 5 {
                step @ (0 | 1) => {
                    let queue = queue.clone();
                    let mut future = Box::pin(async move { queue.enter(&caller(step)).await });
                    match futures_poll(&mut future) {
                        Some(Ok(permit)) => running.push(permit),
                        Some(Err(_)) => {}
                        None => waiting.push_back(future),
                    }
                }
                2 => drop(waiting.pop_front()),
                3 => drop(waiting.pop_back()),
                _ => drop(running.pop()),
            }
            rest /= 5;
            let counts = queue.counts();
            assert!(counts.running <= 1 && counts.waiting <= 3);
            assert!(counts.running == 1 || counts.waiting == 0, "someone waits for nothing");
            let mut still = VecDeque::new();
            for mut future in waiting {
                match futures_poll(&mut future) {
                    Some(permit) => running.push(permit.unwrap()),
                    None => still.push_back(future),
                }
            }
            waiting = still;
            assert_eq!((running.len(), waiting.len()), (queue.counts().running, queue.counts().waiting));
        }
        drop((running, waiting));
        assert_eq!(queue.counts(), counts(0, 0));
    }
}

#[test]
fn a_refusal_says_when_to_come_back() {
    let seconds = Duration::from_secs;
    for (mean, waiting, concurrency, wanted) in [
        (None, 0, 4, 1),
        (None, 8, 4, 2),
        (Some(Duration::from_millis(3)), 256, 4, 1),
        (Some(Duration::from_millis(900)), 10, 4, 3),
        (Some(seconds(30)), 256, 4, 30),
        (Some(Duration::MAX), usize::MAX, 1, 30),
    ] {
        assert_eq!(retry_after(mean, waiting, concurrency), seconds(wanted), "{mean:?} {waiting}");
    }
}

#[tokio::test]
async fn a_queue_for_none_still_takes_one() {
    let queue = queue(0, 0, 0);
    let _permit = queue.enter(&caller(1)).await.unwrap();
    assert!(matches!(queue.enter(&caller(1)).await, Err(Error::Busy { .. })));
}
