//! The filters, run by a small interpreter of their instructions.

use super::*;

/// What a filter answers to a call: an interpreter of the few instructions there are.
fn run(program: &[Instruction], machine: u32, number: u32, arguments: [u32; 4]) -> u32 {
    let mut register = 0;
    let mut at = 0;
    loop {
        let Instruction { code, then, otherwise, value } = program[at];
        at += 1;
        let jump = |holds: bool| usize::from(if holds { then } else { otherwise });
        match code {
            LOAD => {
                register = match value {
                    NUMBER => number,
                    MACHINE => machine,
                    16 => arguments[0],
                    24 => arguments[1],
                    // Lengths beyond 32 bits are those that begin with all ones here.
                    28 => u32::from(arguments[1] == u32::MAX),
                    32 => arguments[2],
                    40 => arguments[3],
                    other => panic!("no word at {other}"),
                }
            }
            AND => register &= value,
            JUMP => at += value as usize,
            EQUAL => at += jump(register == value),
            AT_LEAST => at += jump(register >= value),
            ANY_BIT => at += jump(register & value != 0),
            RETURN => return value,
            other => panic!("no instruction {other}"),
        }
    }
}

fn first<const N: usize>(call: libc::c_long, arguments: [u32; N]) -> u32 {
    run(&for_fork_servers(), ARCHITECTURE, u32::try_from(call).unwrap(), four(arguments))
}

/// A call with the arguments that are not given at 0.
fn four<const N: usize>(arguments: [u32; N]) -> [u32; 4] {
    std::array::from_fn(|place| arguments.get(place).copied().unwrap_or(0))
}

fn second<const N: usize>(network: bool, no_group: bool, call: libc::c_long, arguments: [u32; N]) -> u32 {
    run(&for_executions(network, no_group), ARCHITECTURE, u32::try_from(call).unwrap(), four(arguments))
}

#[test]
fn every_call_gets_the_verdict_of_its_list() {
    for call in calls::ALLOWED {
        assert_eq!(first(*call, [1, 0]), ALLOW, "{call}");
    }
    for call in calls::DANGEROUS {
        assert_eq!(first(*call, [0, 0]), ERRNO | EPERM, "{call}");
    }
    assert_eq!(first(libc::SYS_clone3, [0, 0]), ERRNO | ENOSYS);
    assert_eq!(first(9_999, [0, 0]), ERRNO | ENOSYS);
}

#[test]
fn other_machine_modes_end_the_process() {
    let i386 = 0x4000_0003;
    assert_eq!(run(&for_fork_servers(), i386, 1, [0; 4]), KILL);
    if let Some(x32) = OTHER_MODE {
        assert_eq!(run(&for_fork_servers(), ARCHITECTURE, x32 + 1, [0; 4]), KILL);
    }
}

#[test]
fn only_harmless_families_of_sockets_are_there() {
    for family in 0..64 {
        let known = [AF_UNIX, AF_INET, AF_INET6].contains(&family);
        let expected = if known { ALLOW } else { ERRNO | EAFNOSUPPORT };
        let stream = SOCK_STREAM | 0o2_000_000;
        assert_eq!(first(libc::SYS_socket, [family, stream, 0]), expected, "{family}");
        assert_eq!(first(libc::SYS_socket, [family, stream, IPPROTO_TCP]), expected, "{family}");
        let unix = if family == AF_UNIX { ALLOW } else { ERRNO | EAFNOSUPPORT };
        assert_eq!(first(libc::SYS_socket, [family, 2, 0]), unix, "datagrams of {family}");
        assert_eq!(first(libc::SYS_socket, [family, stream, 262]), unix, "multipath of {family}");
        let expected = if family == AF_UNIX { ALLOW } else { ERRNO | EAFNOSUPPORT };
        assert_eq!(second(false, false, libc::SYS_socket, [family, 0]), expected, "{family}");
        assert_eq!(second(true, false, libc::SYS_socket, [family, 0]), ALLOW);
        assert_eq!(first(libc::SYS_socketpair, [family, 0]), expected, "{family}");
    }
}

#[test]
fn no_clone_makes_a_namespace_and_no_ioctl_types_into_a_terminal() {
    assert_eq!(first(libc::SYS_clone, [0x11, 0]), ALLOW);
    for flag in [0x2_0000, 0x0200_0000, 0x0400_0000, 0x0800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000] {
        assert_eq!(first(libc::SYS_clone, [flag | 0x11, 0]), ERRNO | EPERM);
    }
    assert_eq!(first(libc::SYS_ioctl, [0, 0x5401]), ALLOW);
    assert_eq!(first(libc::SYS_ioctl, [0, 0x5412]), ERRNO | EPERM);
}

#[test]
fn what_the_lock_down_needed_is_gone_afterwards() {
    for call in calls::OF_THE_LOCKDOWN {
        assert_eq!(first(*call, [0, 0]), ALLOW, "{call}");
        assert_eq!(second(false, false, *call, [0, 0]), ERRNO | EPERM, "{call}");
    }
    assert_eq!(second(false, false, libc::SYS_memfd_create, [0, 0]), ALLOW);
    assert_eq!(second(false, true, libc::SYS_memfd_create, [0, 0]), ERRNO | EPERM);
    assert_eq!(second(false, true, libc::SYS_read, [0, 0]), ALLOW);
}

#[test]
fn the_programs_can_be_found_again_one_after_the_other() {
    let bytes = programs();
    let word = |at: usize| u32::from_ne_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!(word(0), bytes.len());
    let (mut at, mut count) = (4, 0);
    while at < bytes.len() {
        assert_eq!(word(at) % 8, 0);
        at += 4 + word(at);
        count += 1;
    }
    assert_eq!((at, count), (bytes.len(), 5));
}

#[test]
fn memory_of_no_process_is_refused_where_only_processes_are_counted() {
    for (group_missing, expected) in [(true, ERRNO | EPERM), (false, ALLOW)] {
        for network in [true, false] {
            let second = |call, arguments: [u32; 4]| second(network, group_missing, call, arguments);
            for length in [MOST_SHARED + 1, 1 << 30, u32::MAX] {
                assert_eq!(second(libc::SYS_mmap, [0, length, 3, 0x21]), expected);
                assert_eq!(second(libc::SYS_mmap, [0, length, 3, 0x23]), expected);
                assert_eq!(second(libc::SYS_mmap, [0, length, 3, 0x22]), ALLOW);
                assert_eq!(second(libc::SYS_mmap, [0, length, 3, 0x01]), ALLOW);
            }
            assert_eq!(second(libc::SYS_mmap, [0, MOST_SHARED, 3, 0x21]), ALLOW);
            assert_eq!(second(libc::SYS_setsockopt, [3, 1, SO_SNDBUF, 0]), expected);
            assert_eq!(second(libc::SYS_setsockopt, [3, 1, SO_RCVBUF, 0]), expected);
            assert_eq!(second(libc::SYS_setsockopt, [3, 1, 2, 0]), ALLOW);
            assert_eq!(second(libc::SYS_setsockopt, [3, 6, SO_SNDBUF, 0]), ALLOW);
            assert_eq!(second(libc::SYS_sendfile, [0; 4]), expected);
            assert_eq!(second(libc::SYS_read, [0; 4]), ALLOW);
        }
    }
}
