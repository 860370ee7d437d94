//! What the environment says of the threads that kernels run on.

use std::ffi::OsString;

/// What decides on how many threads kernels run, where these are, and how they wait for each other.
const NAMES: [&str; 14] = [
    "OMP_NUM_THREADS",
    "OMP_THREAD_LIMIT",
    "OMP_DYNAMIC",
    "OMP_PROC_BIND",
    "OMP_PLACES",
    "OMP_SCHEDULE",
    "OMP_WAIT_POLICY",
    "GOMP_CPU_AFFINITY",
    "GOMP_SPINCOUNT",
    "KMP_AFFINITY",
    "KMP_BLOCKTIME",
    "POCL_AFFINITY",
    "POCL_MAX_PTHREAD_COUNT",
    "POCL_CPU_MAX_CU_COUNT",
];

/// All that is set of them, as `NAME=VALUE`.
pub fn set(value: &dyn Fn(&str) -> Option<OsString>) -> Vec<String> {
    let one = |name: &&str| Some(format!("{name}={}", value(name)?.to_string_lossy()));
    NAMES.iter().filter_map(one).collect()
}

/// One thread a core, unless the user decides otherwise: unbound threads may share a core for a while. How they wait stays as
/// OpenMP has it: for some milliseconds they ask again and again, which takes a microsecond a loop.
pub fn usual() -> impl Iterator<Item = (&'static str, &'static str)> {
    let all = [("OMP_PROC_BIND", "true"), ("POCL_AFFINITY", "1")];
    all.into_iter().filter(|(name, _)| std::env::var_os(name).is_none())
}

/// What makes threads sleep between the loops that they share out, of what is set: to wake them takes longer than a small
/// loop does (gcc 12, two threads: 40 µs a loop rather than 1).
pub fn asleep(set: &[String]) -> Option<&str> {
    let value_of = |name: &str| {
        set.iter().find_map(|of| Some((of.as_str(), of.strip_prefix(name)?.strip_prefix('=')?.trim())))
    };
    let spins = value_of("GOMP_SPINCOUNT");
    let policy = value_of("OMP_WAIT_POLICY").filter(|(_, how)| how.eq_ignore_ascii_case("passive"));
    // What counts the rounds decides before what says how to wait.
    let found = spins.map_or(policy, |(of, rounds)| (rounds == "0").then_some((of, rounds)));
    found.or_else(|| value_of("KMP_BLOCKTIME").filter(|(_, ms)| *ms == "0")).map(|(of, _)| of)
}

/// What is told beside times where threads sleep.
pub fn slow(set: &[String]) -> Option<String> {
    let of = asleep(set)?;
    Some(format!(
        "`{of}` lets threads sleep between the loops that they share out: each such loop takes some 40 µs more. Without it they wait \
         awake."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_sleep_are_told() {
        let asleep_by = |text: &str| {
            let set: Vec<String> = text.split(' ').map(str::to_owned).collect();
            asleep(&set).map(str::to_owned)
        };
        for (text, by) in [
            ("OMP_NUM_THREADS=2", None),
            ("OMP_WAIT_POLICY=active", None),
            ("OMP_WAIT_POLICY=PASSIVE", Some("OMP_WAIT_POLICY=PASSIVE")),
            ("OMP_WAIT_POLICY=passive GOMP_SPINCOUNT=1000", None),
            ("OMP_WAIT_POLICY=active GOMP_SPINCOUNT=0", Some("GOMP_SPINCOUNT=0")),
            ("KMP_BLOCKTIME=0", Some("KMP_BLOCKTIME=0")),
            ("KMP_BLOCKTIME=200", None),
        ] {
            assert_eq!(asleep_by(text).as_deref(), by, "{text}");
        }
    }

    #[test]
    fn what_is_set_is_named_with_its_value() {
        let value = |name: &str| (name == "OMP_WAIT_POLICY").then(|| "passive".into());
        assert_eq!(set(&value), ["OMP_WAIT_POLICY=passive"]);
        assert!(slow(&set(&value)).is_some_and(|said| said.contains("`OMP_WAIT_POLICY=passive`")));
    }
}
