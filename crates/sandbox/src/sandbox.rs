//! The handle through which code is executed.

use std::collections::HashMap;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Resource, getrlimit, setrlimit};

use crate::cgroups::Groups;
use crate::folder::Kept;
use crate::fork_server::{ForkServer, Kind, Spare};
use crate::guard::Guard;
use crate::interpreters::{self, Interpreter};
use crate::jail::Order;
use crate::{
    DEFAULT_PROFILE, Error, Execution, Folder, Outcome, Program, Protection, Runtime, Settings, protections,
    run, wire,
};

/// Executes code. Cheap to clone; the jail ends with the last clone.
#[derive(Debug, Clone)]
pub struct Sandbox(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    settings: Settings,
    interpreters: HashMap<String, Result<Interpreter, String>>,
    groups: Option<Arc<Groups>>,
    protections: Vec<Protection>,
    world: Mutex<World>,
    folders: AtomicU64,
}

/// The jail with its fork servers; replaced as a whole should it ever fall.
#[derive(Debug)]
struct World {
    fork_servers: HashMap<Kind, Arc<ForkServer>>,
    guard: Arc<Guard>,
}

/// Fork servers beyond this many are ended, the default ones last.
const MOST_FORK_SERVERS: usize = 8;
/// How often an execution is tried while what it needs ends before it has begun.
const ATTEMPTS: u32 = 5;
/// How long it waits before the second attempt; before each further one as much longer.
const PAUSE: Duration = Duration::from_millis(20);

impl Sandbox {
    /// Finds out what this machine can do and builds the jail.
    pub fn start(settings: Settings) -> Result<Self, Error> {
        raise_open_files();
        let hidden = hidden(&settings);
        let interpreters: HashMap<_, _> = settings
            .profiles
            .iter()
            .map(|profile| (profile.name.clone(), interpreters::ask(profile, &hidden)))
            .collect();
        let guard = build(&settings, &interpreters)?;
        let groups = Groups::find(settings.cgroups);
        let protections = protections::found(&guard, groups.as_ref());
        protections::require(&protections, &settings)?;
        let world = World { fork_servers: HashMap::new(), guard: Arc::new(guard) };
        Ok(Self(Arc::new(Inner {
            settings,
            interpreters,
            groups: groups.ok().map(Arc::new),
            protections,
            world: Mutex::new(world),
            folders: AtomicU64::new(1),
        })))
    }

    /// What protects the machine from the code.
    pub fn protections(&self) -> &[Protection] {
        &self.0.protections
    }

    /// Executes code and waits for it.
    pub fn execute(&self, execution: &Execution) -> Result<Outcome, Error> {
        run::check(execution)?;
        let kind = self.0.kind_for(&execution.program)?;
        let mut last = Error::Failed("no process takes the code".to_owned());
        for attempt in 0..ATTEMPTS {
            std::thread::sleep(PAUSE * attempt);
            match self.0.take(&kind) {
                Ok((fork_server, guard, spare)) => {
                    let ran = run::run(&fork_server, &guard, &self.0.settings.usual, spare, execution);
                    fork_server.finish();
                    // Nothing: the process was gone before it got the code. Whatever else went wrong may have come
                    // after the code began, which must not run twice.
                    if let Some(outcome) = ran? {
                        return Ok(outcome);
                    }
                }
                Err(error @ (Error::Failed(_) | Error::BrokenProfile { .. })) => last = error,
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }

    /// A work folder of this size for several executions, one after the other or at a time.
    pub fn open_folder(&self, bytes: u64, files: u64) -> Result<Folder, Error> {
        let guard = Arc::clone(&self.0.world()?.guard);
        let number = self.0.folders.fetch_add(1, Ordering::Relaxed);
        let user = if guard.standing.users > 1 {
            // Apart from the users of single executions, which begin at 1.
            60_001 + u32::try_from(number % 5_000).unwrap_or_default()
        } else {
            0
        };
        let directory = guard.order(&Order::Folder { number, bytes, files, user }, &[])?.pop();
        let directory = directory.ok_or_else(|| Error::Failed("the jail gave no folder".to_owned()))?;
        let owner = guard.owner(user);
        let release = Box::new(move |number| {
            // When the jail is gone, so is the folder.
            let _ = guard.order(&Order::Release { number }, &[]);
        });
        Ok(Folder::owned(directory, owner, Some(Kept { number, owner_inside: user, release })))
    }
}

/// As many open files as this process may have: each execution takes some, and each work folder one.
fn raise_open_files() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // It is allowed to everybody; where it fails all the same, the usual number has to do.
    let _ = setrlimit(Resource::Nofile, limit);
}

/// What is hidden, without links on the way.
fn hidden(settings: &Settings) -> Vec<PathBuf> {
    let real = |path: &PathBuf| path.canonicalize().or_else(|_| std::path::absolute(path)).ok();
    settings.hidden.iter().filter_map(real).collect()
}

fn build(
    settings: &Settings,
    interpreters: &HashMap<String, Result<Interpreter, String>>,
) -> Result<Guard, Error> {
    let readable = interpreters.values().flatten().flat_map(|found| found.readable.clone()).collect();
    Guard::build(&settings.jail_command, readable, hidden(settings))
        .map_err(|error| protections::explain(&error))
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The jail and what is in it; built again if it fell.
    fn world(&self) -> Result<MutexGuard<'_, World>, Error> {
        let mut world = self.lock();
        if !world.guard.stands() {
            tracing::warn!("the jail ended; it is built again, and work folders are lost");
            world.fork_servers.clear();
            world.guard = Arc::new(build(&self.settings, &self.interpreters)?);
        }
        Ok(world)
    }

    /// A process of this kind that waits for code, with the fork server and the jail it comes from.
    fn take(&self, kind: &Kind) -> Result<(Arc<ForkServer>, Arc<Guard>, Spare), Error> {
        let (fork_server, guard) = self.fork_server(kind)?;
        let spare = fork_server.take().map_err(|error| kind.failed(error))?;
        Ok((fork_server, guard, spare))
    }

    fn fork_server(&self, kind: &Kind) -> Result<(Arc<ForkServer>, Arc<Guard>), Error> {
        let mut world = self.world()?;
        let guard = Arc::clone(&world.guard);
        if let Some(known) = world.fork_servers.get(kind)
            && !known.is_worn()
        {
            return Ok((Arc::clone(known), guard));
        }
        if world.fork_servers.len() >= MOST_FORK_SERVERS {
            let other = world.fork_servers.keys().find(|other| *other != kind && is_special(other)).cloned();
            other.and_then(|other| world.fork_servers.remove(&other));
        }
        let failed = |error: rustix::io::Errno| Error::Failed(error.to_string());
        let (socket, theirs) = wire::pair().map_err(failed)?;
        let (errors, errors_end) = pipe_with(PipeFlags::CLOEXEC).map_err(failed)?;
        guard.order(&kind.order(), &[theirs.as_fd(), errors_end.as_fd()])?;
        let new = ForkServer::new(socket, errors, &guard.standing, self.groups.clone(), &self.settings)?;
        let new = Arc::new(new);
        world.fork_servers.insert(kind.clone(), Arc::clone(&new));
        Ok((new, guard))
    }

    /// Which fork server runs a program.
    fn kind_for(&self, program: &Program) -> Result<Kind, Error> {
        let Runtime::Python { profile } = &program.runtime else { return Ok(Kind::Native) };
        let name = profile.as_deref().unwrap_or(DEFAULT_PROFILE);
        let interpreter = match self.interpreters.get(name) {
            Some(Ok(interpreter)) => interpreter,
            Some(Err(detail)) => {
                return Err(Error::BrokenProfile { profile: name.to_owned(), detail: detail.clone() });
            }
            None if name == DEFAULT_PROFILE => {
                let detail = "python3 is not on this machine's PATH; install it, or name one in the settings";
                return Err(Error::NoPython { detail: detail.to_owned() });
            }
            None => return Err(Error::UnknownProfile(name.to_owned())),
        };
        let preload = self.settings.profiles.iter().find(|profile| profile.name == name);
        let preload = preload.map(|profile| profile.preload.clone()).unwrap_or_default();
        let preload = if names_any(program, &preload) { preload } else { Vec::new() };
        let python = interpreter.python.clone();
        Ok(Kind::Python { profile: name.to_owned(), python, preload })
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let world = self.lock();
        // The processes first: what is left of them can be cleared away only then.
        world.guard.end();
        for fork_server in world.fork_servers.values() {
            fork_server.end();
        }
        for _ in 0..100 {
            if self.groups.as_ref().is_none_or(|groups| groups.sweep()) {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

fn is_special(kind: &Kind) -> bool {
    matches!(kind, Kind::Python { profile, .. } if profile != DEFAULT_PROFILE)
}

/// Whether the program's Python mentions one of the modules. Only speed depends on it.
fn names_any(program: &Program, modules: &[String]) -> bool {
    let is_python = |path: &str| Path::new(path).extension().is_some_and(|ending| ending == "py");
    let files = program.files.iter().filter(|file| file.path == program.main || is_python(&file.path));
    let mut texts = files.map(|file| &file.content);
    texts.any(|text| {
        modules
            .iter()
            .any(|name| !name.is_empty() && text.windows(name.len()).any(|window| window == name.as_bytes()))
    })
}
