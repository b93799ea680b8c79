//! Which system calls there are for the code: an allow list for the fork server and all that come from it, and a
//! short second list that takes away what the lock-down itself needed.
//!
//! The first is a binary tree, because the kernel walks a filter for every call that it cannot cache. It refuses
//! other machine modes (32 bit, x32) by ending the process, unknown calls as if the kernel did not have them, and
//! calls known to be dangerous with "not permitted".

use std::collections::BTreeMap;

const ALLOW: u32 = 0x7fff_0000;
const KILL: u32 = 0x8000_0000;
const ERRNO: u32 = 0x0005_0000;
const EPERM: u32 = 1;
const ENOSYS: u32 = 38;
const EAFNOSUPPORT: u32 = 97;

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xc000_00b7;
/// Where the x32 calls begin.
#[cfg(target_arch = "x86_64")]
const OTHER_MODE: Option<u32> = Some(0x4000_0000);
#[cfg(target_arch = "aarch64")]
const OTHER_MODE: Option<u32> = None;

/// One instruction of a filter.
#[derive(Debug, Clone, Copy)]
struct Instruction {
    code: u16,
    then: u8,
    otherwise: u8,
    value: u32,
}

const LOAD: u16 = 0x20;
const AND: u16 = 0x54;
const JUMP: u16 = 0x05;
const EQUAL: u16 = 0x15;
const AT_LEAST: u16 = 0x35;
const ANY_BIT: u16 = 0x45;
const RETURN: u16 = 0x06;

const NUMBER: u32 = 0;
const MACHINE: u32 = 4;
const fn argument(index: u32) -> u32 {
    16 + 8 * index
}

fn statement(code: u16, value: u32) -> Instruction {
    Instruction { code, then: 0, otherwise: 0, value }
}

fn branch(code: u16, value: u32, then: u8, otherwise: u8) -> Instruction {
    Instruction { code, then, otherwise, value }
}

fn refuse(errno: u32) -> Instruction {
    statement(RETURN, ERRNO | errno)
}

/// What becomes of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Allow,
    Refuse(u32),
    /// Only families of sockets that cannot reach past a namespace.
    Socket,
    /// Only the family that has pairs.
    SocketPair,
    /// No new namespaces.
    Clone,
    /// Nothing typed into a terminal, no line disciplines.
    Ioctl,
}

impl Verdict {
    fn instructions(self) -> Vec<Instruction> {
        let allow = statement(RETURN, ALLOW);
        match self {
            Self::Allow => vec![allow],
            Self::Refuse(errno) => vec![refuse(errno)],
            Self::Socket => vec![
                statement(LOAD, argument(0)),
                branch(EQUAL, AF_UNIX, 8, 0),
                branch(EQUAL, AF_INET, 1, 0),
                branch(EQUAL, AF_INET6, 0, 7),
                // Streams of TCP only: nothing else reaches the proxy, and nothing else is held by Landlock.
                statement(LOAD, argument(1)),
                statement(AND, 0xf),
                branch(EQUAL, SOCK_STREAM, 0, 4),
                statement(LOAD, argument(2)),
                branch(EQUAL, 0, 1, 0),
                branch(EQUAL, IPPROTO_TCP, 0, 1),
                allow,
                refuse(EAFNOSUPPORT),
            ],
            Self::SocketPair => {
                vec![statement(LOAD, argument(0)), branch(EQUAL, AF_UNIX, 0, 1), allow, refuse(EAFNOSUPPORT)]
            }
            Self::Clone => vec![
                statement(LOAD, argument(0)),
                branch(ANY_BIT, NEW_NAMESPACES, 0, 1),
                refuse(EPERM),
                allow,
            ],
            Self::Ioctl => vec![
                statement(LOAD, argument(1)),
                branch(EQUAL, 0x5412, 3, 0),
                branch(EQUAL, 0x541c, 2, 0),
                branch(EQUAL, 0x5423, 1, 0),
                allow,
                refuse(EPERM),
            ],
        }
    }
}

const AF_UNIX: u32 = 1;
const AF_INET: u32 = 2;
const AF_INET6: u32 = 10;
const SOCK_STREAM: u32 = 1;
const IPPROTO_TCP: u32 = 6;
const NEW_NAMESPACES: u32 = 0x7e02_0000;
/// `MAP_SHARED` and `MAP_ANONYMOUS`.
const SHARED_WITHOUT_FILE: u32 = 0x21;
/// The largest piece of shared memory without a file.
pub(crate) const MOST_SHARED: u32 = 1 << 20;
const SOL_SOCKET: u32 = 1;
const SO_SNDBUF: u32 = 7;
const SO_RCVBUF: u32 = 8;

/// The programs as the lock-down reads them: the length of all, then each with its own length in front.
/// First that of the fork server; then those of executions: without network, with it, and both again for
/// machines without a memory control group.
pub(crate) fn programs() -> Vec<u8> {
    let mut all = vec![0; 4];
    let executions = [(false, false), (true, false), (false, true), (true, true)];
    let second = executions.map(|(network, no_memory_group)| for_executions(network, no_memory_group));
    for program in std::iter::once(for_fork_servers()).chain(second) {
        let length = u32::try_from(program.len() * 8).unwrap_or_default();
        all.extend(length.to_ne_bytes());
        for instruction in program {
            all.extend(instruction.code.to_ne_bytes());
            all.extend([instruction.then, instruction.otherwise]);
            all.extend(instruction.value.to_ne_bytes());
        }
    }
    let length = u32::try_from(all.len()).unwrap_or_default().to_ne_bytes();
    all.splice(..4, length);
    all
}

fn for_fork_servers() -> Vec<Instruction> {
    let mut program = vec![
        statement(LOAD, MACHINE),
        branch(EQUAL, ARCHITECTURE, 1, 0),
        statement(RETURN, KILL),
        statement(LOAD, NUMBER),
    ];
    if let Some(first) = OTHER_MODE {
        program.extend([branch(AT_LEAST, first, 0, 1), statement(RETURN, KILL)]);
    }
    let mut verdicts: BTreeMap<u32, Verdict> = BTreeMap::new();
    let number = |call: &libc::c_long| u32::try_from(*call).unwrap_or(u32::MAX);
    verdicts.extend(calls::DANGEROUS.iter().map(|call| (number(call), Verdict::Refuse(EPERM))));
    verdicts.extend(calls::ALLOWED.iter().map(|call| (number(call), Verdict::Allow)));
    verdicts.insert(number(&libc::SYS_socket), Verdict::Socket);
    verdicts.insert(number(&libc::SYS_socketpair), Verdict::SocketPair);
    verdicts.insert(number(&libc::SYS_clone), Verdict::Clone);
    verdicts.insert(number(&libc::SYS_ioctl), Verdict::Ioctl);
    program.extend(tree(&ranges(&verdicts)));
    program
}

/// Where each run of equal verdicts begins; the gaps are calls that do not exist here.
fn ranges(verdicts: &BTreeMap<u32, Verdict>) -> Vec<(u32, Verdict)> {
    let mut ranges = vec![(0, Verdict::Refuse(ENOSYS))];
    let mut push = |start: u32, verdict: Verdict| match ranges.last_mut() {
        Some((_, last)) if *last == verdict => {}
        Some((last_start, last)) if *last_start == start => *last = verdict,
        _ => ranges.push((start, verdict)),
    };
    for (&number, &verdict) in verdicts {
        push(number, verdict);
        if !verdicts.contains_key(&(number + 1)) {
            push(number + 1, Verdict::Refuse(ENOSYS));
        }
    }
    ranges
}

fn tree(ranges: &[(u32, Verdict)]) -> Vec<Instruction> {
    let (left, right) = ranges.split_at(ranges.len() / 2);
    let Some((start, verdict)) = right.first() else { return vec![refuse(ENOSYS)] };
    if left.is_empty() {
        return verdict.instructions();
    }
    let (lower, upper) = (tree(left), tree(right));
    let skip = u32::try_from(lower.len()).unwrap_or_default();
    let mut program = vec![branch(AT_LEAST, *start, 0, 1), statement(JUMP, skip)];
    program.extend(lower);
    program.extend(upper);
    program
}

fn for_executions(network: bool, no_memory_group: bool) -> Vec<Instruction> {
    let mut refused: Vec<libc::c_long> = calls::OF_THE_LOCKDOWN.to_vec();
    if no_memory_group {
        refused.extend(calls::UNCOUNTED);
    }
    let mut program = vec![statement(LOAD, NUMBER)];
    let count = refused.len();
    for (index, call) in refused.into_iter().enumerate() {
        let to_refusal = u8::try_from(count - index).unwrap_or_default();
        program.push(branch(EQUAL, u32::try_from(call).unwrap_or(u32::MAX), to_refusal, 0));
    }
    // Here when no call matched; `refusal` stands right behind.
    program.push(statement(JUMP, 1));
    program.push(refuse(EPERM));
    if !network {
        let socket = u32::try_from(libc::SYS_socket).unwrap_or(u32::MAX);
        program.extend([
            branch(EQUAL, socket, 0, 3),
            statement(LOAD, argument(0)),
            branch(EQUAL, AF_UNIX, 1, 0),
            refuse(EAFNOSUPPORT),
        ]);
    }
    if no_memory_group {
        program.extend(without_memory_group());
    }
    program.push(statement(RETURN, ALLOW));
    program
}

/// Memory that belongs to no process is refused where only processes are counted: large shared memory without a file
/// (small pieces are counted one by one), and large buffers of sockets.
fn without_memory_group() -> Vec<Instruction> {
    let number = |call: libc::c_long| u32::try_from(call).unwrap_or(u32::MAX);
    vec![
        // Here the number may have been replaced by an argument.
        statement(LOAD, NUMBER),
        branch(EQUAL, number(libc::SYS_mmap), 0, 8),
        statement(LOAD, argument(3)),
        statement(AND, SHARED_WITHOUT_FILE),
        branch(EQUAL, SHARED_WITHOUT_FILE, 0, 5),
        statement(LOAD, argument(1) + 4),
        branch(EQUAL, 0, 0, 2),
        statement(LOAD, argument(1)),
        branch(AT_LEAST, MOST_SHARED + 1, 0, 1),
        refuse(EPERM),
        statement(LOAD, NUMBER),
        branch(EQUAL, number(libc::SYS_setsockopt), 0, 6),
        statement(LOAD, argument(1)),
        branch(EQUAL, SOL_SOCKET, 0, 4),
        statement(LOAD, argument(2)),
        branch(EQUAL, SO_SNDBUF, 1, 0),
        branch(EQUAL, SO_RCVBUF, 0, 1),
        refuse(EPERM),
    ]
}

mod calls;

#[cfg(test)]
mod tests;
