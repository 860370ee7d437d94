//! Methods and functions of modules as other languages write them behind a value.

use super::calls::{ARRAY, as_argument};
use crate::pattern::Pattern;
use crate::syntax::elsewhere;
use crate::ty::Scalar;

/// What a library calls operators that it applies to each element of arrays.
const ELEMENTWISE: &[(&[&str], &str)] = &[
    (&["maximum", "fmax"], "max x y"),
    (&["minimum", "fmin"], "min x y"),
    (&["add"], "x + y"),
    (&["subtract", "sub"], "x - y"),
    (&["multiply", "mul"], "x * y"),
    (&["divide", "true_divide", "div"], "x / y"),
    (&["power", "pow"], "pow x y"),
];

/// `np.maximum(a, b)`: of two numbers, or of each element.
fn of_each_element(name: &str, args: &[String]) -> Option<String> {
    let [a, b] = args else { return None };
    let (_, written) = ELEMENTWISE.iter().find(|(names, _)| names.contains(&name))?;
    let of = |x: &str, y: &str| {
        elsewhere::in_words(written, &|word| match word {
            "x" => x.to_owned(),
            "y" => y.to_owned(),
            other => other.to_owned(),
        })
    };
    let is_number =
        |text: &str| text.trim_start_matches(['(', '-']).starts_with(|c: char| c.is_ascii_digit());
    let each = match (is_number(a), is_number(b)) {
        (false, true) => format!("map (\\v. {}) {a}", of("v", b)),
        (true, false) => format!("map (\\v. {}) {b}", of(a, "v")),
        _ => format!("zip {a} {b} |> map (\\(v, w). {})", of("v", "w")),
    };
    Some(format!("Write `{}` for two numbers, `{each}` for each element of arrays.", of(a, b)))
}

/// Functions of two values or more, of which the first is what other languages call them on.
const OF_BOTH: [&str; 12] = [
    "zip",
    "concat",
    "pow",
    "mod",
    "max",
    "min",
    "select",
    "shiftLeft",
    "shiftRight",
    "bitAnd",
    "bitOr",
    "bitXor",
];

/// The sizes of the array that a name stands for, if its type is written.
pub(super) type Sizes<'a> = &'a dyn Fn(&str) -> Option<Vec<String>>;

/// The axis that an argument names.
fn named_axis(arg: &str) -> Option<&str> {
    let arg = arg.trim_matches(['(', ')']);
    let named = arg.strip_prefix("axis").or_else(|| arg.strip_prefix("dim"));
    named.and_then(|rest| rest.trim_start().strip_prefix('=')).map(str::trim)
}

/// `value.sum(axis=0)` and `np.sum(value, axis=0)`: of each column of a matrix, or of each row. What is not known to be more
/// is a matrix.
fn along_axis(value: &str, name: &str, args: &[String], module: bool, known: Sizes) -> Option<String> {
    let named = args.iter().find_map(|arg| named_axis(arg));
    let of_two = module && of_each_element(name, args).is_some();
    let by_place =
        elsewhere::is_of_all(name) && (!module || elsewhere::is_module_of_arrays(value)) && !of_two;
    let mut others: Vec<String> = args.to_vec();
    let axis = match named {
        Some(axis) => {
            others = args.iter().cloned().filter_map(without_name).collect();
            axis.to_owned()
        }
        None => others.pop().filter(|_| by_place)?.trim_matches(['(', ')']).to_owned(),
    };
    if module
        && let Some(hint) = elsewhere::concatenated_along(&others, &axis).filter(|_| name.starts_with("conc"))
    {
        return Some(hint.strip_prefix("Write `")?.strip_suffix("`.")?.to_owned());
    }
    let array = match others.as_slice() {
        [one] if module => one.clone(),
        [] if !module => as_argument(value),
        _ => return None,
    };
    let sizes = known(&array);
    let dimensions = sizes.as_ref().map_or(2, Vec::len);
    let axis: usize = match axis.strip_prefix('-') {
        Some(back) => dimensions.checked_sub(back.parse().ok()?)?,
        None => axis.parse().ok()?,
    };
    let inside = dimensions.checked_sub(axis).filter(|_| elsewhere::takes_an_array(name))?;
    let size = sizes.as_ref().and_then(|sizes| sizes.get(axis)).map(String::as_str);
    // The names of what each `map` takes, outermost first.
    let last = if inside == 1 { "r" } else { "p" };
    let names = [vec![array.as_str()], vec!["p"; axis.saturating_sub(1)], vec![last; axis.min(1)]].concat();
    let within = names.get(axis)?;
    let of_row = |r: &str| elsewhere::of_one(name, r, size);
    let written = match inside {
        1 => of_row(within)?,
        2 if name == "flip" => of_row(within)?,
        2 if elsewhere::is_of_all(name) => format!("map (\\r. {}) (transpose {within})", of_row("r")?),
        2 => format!("transpose (map (\\r. {}) (transpose {within}))", of_row("r")?),
        _ => return None,
    };
    let each = names.windows(2).rev().map(|pair| (pair[0], pair[1]));
    Some(each.fold(written, |written, (of, name)| format!("map (\\{name}. {written}) {of}")))
}

/// The array whose elements a function of other languages makes one value of, as one row where it has several, and how many
/// elements what is written for the function has to know.
fn in_one_row(name: &str, mut args: Vec<String>, known: Sizes) -> (Vec<String>, Option<String>) {
    if let [array] = args.as_mut_slice()
        && elsewhere::is_of_all(name)
        && let Some(sizes) = known(array).filter(|sizes| sizes.len() > 1)
    {
        *array = (1..sizes.len()).fold(array.clone(), |rest, _| format!("(join {rest})"));
        return (args, Some(format!("({})", sizes.join(" * "))));
    }
    let from = usize::from(elsewhere::is_sized_by_weights(name));
    // No name of another language takes as many.
    let sizes = args.iter().skip(from).take(8).find_map(|arg| known(arg));
    (args, sizes.and_then(|sizes| sizes.first().cloned()))
}

/// What is said of an axis where it is not known what it means.
const AXES: &str =
    "Write `map` for each row of a matrix, and `transpose` before it for each column: axes have no numbers.";

/// An argument without its name; none where that says how something is done.
fn without_name(arg: String) -> Option<String> {
    let inside = arg.trim_start_matches('(').trim_end_matches(')');
    let Some((name, value)) = inside.split_once('=').filter(|(_, value)| !value.starts_with('=')) else {
        return Some(arg);
    };
    let name = name.trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    match name {
        "bins" | "minlength" | "initial" | "start" => Some(value.trim().to_owned()),
        _ if is_name => None,
        _ => Some(arg),
    }
}

/// `np.sign(a)`: a function of numbers, of which a library takes arrays as well.
fn of_elements(name: &str, args: &[String]) -> Option<String> {
    let of_values = elsewhere::takes_values(name) && args.len() <= 2;
    let is_number =
        |text: &String| text.trim_start_matches(['(', '-']).starts_with(|c: char| c.is_ascii_digit());
    let of = |args: &[String]| {
        let hint = elsewhere::written_here(name, args).filter(|_| of_values)?;
        Some(hint.strip_prefix("Write `")?.split('`').next()?.to_owned())
    };
    let value = of(args)?;
    let mut names = ["v", "w"].into_iter();
    let elements: Vec<String> = args
        .iter()
        .map(|a| if is_number(a) { a.clone() } else { names.next().unwrap_or("v").to_owned() })
        .collect();
    let arrays: Vec<&String> = args.iter().filter(|a| !is_number(a)).collect();
    let element = of(&elements)?;
    let each = match arrays.as_slice() {
        [a] => format!("map (\\v. {element}) {a}"),
        [a, b] => format!("zip {a} {b} |> map (\\(v, w). {element})"),
        _ => return None,
    };
    Some(format!("Write `{value}` for numbers, `{each}` for each element of arrays."))
}

/// What a vector has for lanes elsewhere.
const LANES: [&str; 4] = ["x", "y", "z", "w"];

/// `v.x`, and other fields.
fn field(value: &str, name: &str) -> String {
    let of = as_argument(value);
    let number = || name.strip_prefix('s').and_then(|n| n.parse().ok());
    let at = LANES.iter().position(|lane| *lane == name).or_else(number);
    let Some(at) = at.filter(|_| !value.contains('…')) else {
        return "Values have no fields: the components of a pair `p` are `fst p` and `snd p`, an element of an array is `idx 0 xs`, \
                and the lanes of a vector `v` are the elements of `asScalar [v]`."
            .to_owned();
    };
    let component = if at == 0 { "fst" } else { "snd" };
    format!(
        "Values have no fields: write `idx {at} (asScalar [{value}])` for a lane of a vector, `{component} {of}` for a component of a \
         pair, `idx {at} {of}` for an element of an array."
    )
}

/// `max` and `min` of all elements are other things than those of two numbers.
fn of_whole_array<'n>(name: &'n str, args: &[String], value: &str, module: bool) -> &'n str {
    let by_place = elsewhere::is_module_of_arrays(value);
    let is_axis = |a: &String| {
        ["axis", "dim"].iter().any(|name| a.trim_start_matches('(').starts_with(name))
            || by_place && a.chars().all(|c| c.is_ascii_digit())
    };
    let given = args.iter().filter(|a| !is_axis(a)).count() + usize::from(!module);
    match name {
        "max" if given == 1 => "amax",
        "min" if given == 1 => "amin",
        _ => name,
    }
}

/// `xs.reduce(0, +)` and `xs.reduce(+)`: the operator comes first, then the value that it starts from.
fn reduce_in_order(name: &str, args: &mut Vec<String>) {
    if !Pattern::from_name(name).is_some_and(Pattern::is_reduce) {
        return;
    }
    let start = args.first().and_then(|op| elsewhere::start_of(op));
    match (args.as_slice(), start) {
        ([first, _], None) if first.starts_with(|c: char| c.is_ascii_digit() || c == '-') => args.swap(0, 1),
        ([_], Some(start)) => args.push(start.to_owned()),
        _ => {}
    }
}

/// `value.name(args)`, as it is written here, and what is said of it; `piped` if the value is the rest of such a chain.
pub(super) fn method(
    value: &str,
    name: &str,
    mut args: Vec<String>,
    called: bool,
    piped: bool,
    known: Sizes,
) -> (String, Option<String>) {
    let module = elsewhere::is_module(value) && scalar_of_both(value, name).is_none();
    let name = of_whole_array(name, &args, value, module);
    if module && args.is_empty() && elsewhere::is_part_of_module(name) {
        return (
            value.to_owned(),
            Some("There are no modules: functions stand before what they are given.".to_owned()),
        );
    }
    if module && Pattern::from_name(name).is_some_and(Pattern::is_reduce) && args.len() == 2 {
        let start = elsewhere::start_of(&args[0]);
        args.splice(1..1, start.map(str::to_owned));
    }
    if let Some(scalar) = scalar_of_both(value, name) {
        let hint = format!("A conversion is written `(cast x : {scalar})`, with the number that is meant.");
        return (value.to_owned(), Some(hint));
    }
    let call = |args: &[String]| {
        std::iter::once(name.to_string()).chain(args.iter().cloned()).collect::<Vec<_>>().join(" ")
    };
    if elsewhere::HOW.contains(&name) {
        return (value.to_owned(), elsewhere::written_here(name, &[]));
    }
    if elsewhere::is_going_through(name) && args.is_empty() {
        let hint = format!("Functions go through an array as it is: write `{value}`, without `{name}`.");
        return (value.to_owned(), Some(hint));
    }
    if module && name == "where" {
        let hint = elsewhere::where_of_arrays(&args).unwrap_or_else(|| {
            "`select c a b` is `a` where `c` holds, else `b`: it stands in a function that `map` takes."
                .to_owned()
        });
        return (call(&args), Some(hint));
    }
    if let Some(written) = along_axis(value, name, &args, module, known) {
        let hint = format!("Write `{written}`.");
        return (written, Some(hint));
    }
    let is_first = |axis: &str| axis == "0" && !elsewhere::is_of_all(name);
    if args.iter().find_map(|arg| named_axis(arg)).is_some_and(|axis| !is_first(axis)) {
        return ("…".to_owned(), Some(AXES.to_owned()));
    }
    // What else has names is how much there is of something, or how it is done.
    args = args.into_iter().filter_map(without_name).collect();
    let written = |hint: &str| {
        let text = hint.strip_prefix("Write `").and_then(|rest| rest.split('`').next());
        text.unwrap_or("…").to_owned()
    };
    // Of two numbers or of arrays: which of both is not known here.
    if module && let Some(hint) = of_each_element(name, &args) {
        return ("…".to_owned(), Some(hint));
    }
    let size;
    if module {
        (args, size) = in_one_row(name, args, known);
    } else {
        size = None;
    }
    if module && let Some(hint) = elsewhere::written_of(name, &args, size.as_deref()) {
        let each = elsewhere::is_module_of_arrays(value).then(|| of_elements(name, &args)).flatten();
        return (written(&hint), Some(each.unwrap_or(hint)));
    }
    if module && Pattern::from_name(name).is_none() {
        let hint = format!(
            "There are no modules, and `{name}` is no function that is known here: `shine-tui patterns` lists those that are."
        );
        return ("…".to_owned(), Some(hint));
    }
    if module {
        let call = call(&args);
        let hint =
            format!("Functions stand before what they are given, by their names alone: write `{call}`.");
        return (call, Some(hint));
    }
    if !called && Pattern::from_name(name).is_none() && elsewhere::written_here(name, &[]).is_none() {
        return ("…".to_owned(), Some(field(value, name)));
    }
    let argument = as_argument(value);
    if !piped {
        let all = elsewhere::with_receiver(name, &args, argument.clone());
        let (all, size) = in_one_row(name, all, known);
        if let Some(hint) = elsewhere::written_of(name, &all, size.as_deref()) {
            return (written(&hint), Some(hint));
        }
    }
    let known = elsewhere::written_here(name, &elsewhere::with_receiver(name, &args, ARRAY.to_owned()));
    let written = known.map(|hint| written(&hint));
    args.retain(|a| !a.is_empty());
    reduce_in_order(name, &mut args);
    let is_own = Pattern::from_name(name).is_some();
    let value = match written {
        // What is known of a name with its last argument left out is a stage.
        Some(text) => match text.strip_suffix(&format!(" {ARRAY}")).filter(|stage| !stage.contains(ARRAY)) {
            Some(stage) => format!("{value} |> {stage}"),
            None => text.replace(ARRAY, &argument),
        },
        None if OF_BOTH.contains(&name) => {
            let rest: Vec<String> = args.iter().map(|a| format!(" {a}")).collect();
            format!("{name} {argument}{}", rest.concat())
        }
        None if is_own || args.is_empty() => format!("{value} |> {}", call(&args)),
        // In which order a function of the text's own takes them is not known.
        None => "…".to_owned(),
    };
    // What it starts from is not known here.
    let lacks_start = Pattern::from_name(name).is_some_and(Pattern::is_reduce) && args.len() == 1;
    let hint = match value.as_str() {
        _ if lacks_start => format!(
            "A function stands before its arguments, and `{name}` takes the value that it starts from behind the function: `xs |> {name} f z`."
        ),
        "…" => format!("A function is applied by standing before its arguments: `{name} x y`."),
        _ => format!(
            "A function is applied by standing before its arguments, or behind `|>`: write `{value}`."
        ),
    };
    (value, Some(hint))
}

/// `f32.i32 x`: the type that a number of another one is converted to.
fn scalar_of_both(value: &str, name: &str) -> Option<&'static str> {
    Scalar::from_name(value).filter(|_| Scalar::from_name(name).is_some()).map(Scalar::name)
}
