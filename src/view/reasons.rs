//! What is known of barriers and memory of kernels, for the line of code in which they stand.

/// The sentences of the stage `reasons` about a line of OpenCL: of a barrier which race it prevents, of memory where it is
/// declared why it lies there; none about other lines, and none where the code has other barriers than these.
pub fn of_line<'a>(code: &str, line: usize, reasons: &'a str) -> Vec<&'a str> {
    let lines: Vec<&str> = code.lines().collect();
    let Some(begin) = lines.get(..=line).and_then(|before| before.iter().rposition(begins)) else {
        return vec![];
    };
    let kernel = lines.get(begin..).unwrap_or_default();
    let end = kernel.iter().skip(1).position(begins).map_or(kernel.len(), |after| after + 1);
    let (kernel, at) = (kernel.get(..end).unwrap_or(kernel), line - begin);
    let told = of_kernel(reasons, kernel);
    if is_barrier(kernel.get(at).copied().unwrap_or_default()) {
        return of_barrier(&told, kernel, at);
    }
    of_memory(&told, kernel, at)
}

/// Whether a kernel begins here.
fn begins(line: &&str) -> bool {
    line.starts_with("kernel ")
}

fn is_barrier(line: &str) -> bool {
    line.trim_start().starts_with("barrier(")
}

/// What is told of a kernel: of several each has a heading.
fn of_kernel<'a>(reasons: &'a str, kernel: &[&str]) -> Vec<&'a str> {
    let name = kernel.iter().find_map(|line| line.split_once("void ")?.1.split('(').next());
    let mut told = reasons.lines().peekable();
    if told.peek().is_some_and(|line| line.starts_with("-- ")) {
        let is_its = |line: &&str| line.strip_prefix("-- ") != name;
        return told.skip_while(is_its).skip(1).take_while(|line| !line.starts_with("-- ")).collect();
    }
    told.collect()
}

fn of_barrier<'a>(told: &[&'a str], kernel: &[&str], at: usize) -> Vec<&'a str> {
    let all: Vec<&[&str]> = told
        .split(|line| line.is_empty())
        .filter(|part| part.first().is_some_and(|line| line.starts_with("Barrier ")))
        .collect();
    if kernel.iter().filter(|line| is_barrier(line)).count() != all.len() {
        return vec![];
    }
    let before = kernel.iter().take(at).filter(|line| is_barrier(line)).count();
    all.get(before).map(|part| part.iter().map(|line| line.trim_start()).collect()).unwrap_or_default()
}

fn of_memory<'a>(told: &[&'a str], kernel: &[&str], at: usize) -> Vec<&'a str> {
    let names = |line: &str, name: &str| {
        line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
    };
    // It is declared where its name stands first.
    let is_declared = |name: &str| kernel.iter().position(|line| names(line, name)) == Some(at);
    let here = kernel.get(at).copied().unwrap_or_default();
    let mut found = vec![];
    let mut memory = told.iter().skip_while(|line| **line != "Memory:").skip(1).peekable();
    while let Some(entry) = memory.next() {
        let name = entry.trim_start().split(':').next().unwrap_or_default();
        let why = memory.next_if(|line| line.starts_with("    "));
        if names(here, name) && is_declared(name) {
            found.push(entry.trim_start());
            found.extend(why.map(|line| line.trim_start()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "\
kernel __attribute__((reqd_work_group_size(4, 1, 1)))
void k0(global float* restrict t0) {
  local float t1[4];
  t1[0] = 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  t0[0] = t1[0];
}

kernel void k1(global float* restrict t0) {
  float t2 = 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  barrier(CLK_LOCAL_MEM_FENCE);
}
";
    const REASONS: &str = "\
-- k0
One barrier.

Barrier 1 orders uses of local memory.
  A work-item writes `t1[i]`.

Memory:
  t1: 4.f32, 16 bytes, an array in local memory
    It is stored in local memory, which a group shares.

-- k1
One barrier.

Barrier 1 orders uses of global memory.

Memory:
  t2: f32, 4 bytes, the work-item's own
";

    #[test]
    fn a_barrier_and_a_declaration_say_what_they_are_for() {
        let about = |line: usize| of_line(CODE, line, REASONS);
        assert_eq!(about(4), ["Barrier 1 orders uses of local memory.", "A work-item writes `t1[i]`."]);
        let declared = [
            "t1: 4.f32, 16 bytes, an array in local memory",
            "It is stored in local memory, which a group shares.",
        ];
        assert_eq!(about(2), declared);
        // Where memory is used nothing is told of it; outside of kernels there is none.
        assert!(about(3).is_empty() && about(5).is_empty() && about(99).is_empty());
        assert_eq!(about(9), ["t2: f32, 4 bytes, the work-item's own"]);
        // Which of two barriers one reason is about is not known.
        assert!(about(10).is_empty());
        // What is told of one kernel alone has no heading.
        let alone = REASONS.split("\n\n-- k1").next().and_then(|text| text.split_once('\n')).unwrap().1;
        let first = CODE.split("\nkernel").next().unwrap();
        assert_eq!(of_line(first, 4, alone).len(), 2);
    }
}
