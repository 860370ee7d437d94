use super::super::ast::Language;
use super::super::print::Options;
use super::super::{format, print};
use crate::diag::{Charset, FileId};

fn formatted(language: Language, text: &str) -> String {
    let once = format(language, FileId(0), text, &Options::default()).unwrap();
    assert_eq!(format(language, FileId(0), &once, &Options::default()).unwrap(), once, "formatting again");
    once
}

#[test]
fn comments_and_blank_lines_between_definitions_stay() {
    let text = "-- top\n\n\n-- of the file\n--| Doc.\ndef   f = ( a )   -- end\ndef g=b\n\n-- last\n";
    assert_eq!(
        formatted(Language::Program, text),
        "-- top\n\n-- of the file\n--| Doc.\ndef f = a  -- end\ndef g = b\n\n-- last\n"
    );
    assert_eq!(formatted(Language::Program, "def f = a"), "def f = a\n");
    assert_eq!(formatted(Language::Rules, "\n\n"), "");
    assert_eq!(formatted(Language::Rules, "\n-- only this"), "-- only this\n");
}

#[test]
fn a_definition_with_comments_within_keeps_its_lines() {
    let text = "--| Doc.\ndef f =   \n    a   -- first\n    |> g   \ndef   h = b\n";
    assert_eq!(
        formatted(Language::Program, text),
        "--| Doc.\ndef f =\n    a   -- first\n    |> g\ndef h = b\n"
    );
}

#[test]
fn a_stray_documentation_line_is_kept_as_a_comment() {
    let text = "--| stray\n\n--| doc\ndef f = a --| trailing\n--| stray\n\ndef g = a\n";
    assert_eq!(
        formatted(Language::Program, text),
        "--| stray\n\n--| doc\ndef f = a  --| trailing\n--| stray\n\ndef g = a\n"
    );
}

#[test]
fn examples_keep_their_documentation() {
    let text = "rule r = a ~> b\n--| One.\nexample (x:f32) = x~>x\n";
    assert_eq!(
        formatted(Language::Rules, text),
        "rule r = a ~> b\n  --| One.\n  example (x: f32) = x ~> x\n"
    );
    let text = "rule r = a ~> b\n-- plain\nexample (x:f32) = x~>x\n";
    assert_eq!(formatted(Language::Rules, text), text);
}

#[test]
fn a_text_with_problems_is_left_alone() {
    assert!(format(Language::Program, FileId(0), "def f = (", &Options::default()).is_err());
}

#[test]
fn lines_break_where_they_are_too_long() {
    let text = r"def conv (w: 9.f32) (img: (h + 2).(w + 2).f32): h.w.f32 = let nbh = img |> map (slide 3 1) |> slide 3 1 |> map transpose in nbh |> map (\row. row |> map (\window. zip w (join window) |> map (\p. fst p * snd p) |> reduce (+) 0))";
    insta::assert_snapshot!(formatted(Language::Program, text), @r"
    def conv (w: 9.f32) (img: (h + 2).(w + 2).f32): h.w.f32 =
      let nbh = img |> map (slide 3 1) |> slide 3 1 |> map transpose
      nbh
      |> map (\row.
        row |> map (\window. zip w (join window) |> map (\p. fst p * snd p) |> reduce (+) 0))
    ");
    let text = "strategy blocking = baseline ; (tile(32, 32) @ outermost(mapNest(2))) ;; (reduceMapFission @ outermost(appliedReduce)) ;; reorder([1,2,5,6,3,4]) <+ fail";
    insta::assert_snapshot!(formatted(Language::Elevate, text), @r"
    strategy blocking =
      baseline ;
      tile(32, 32) @ outermost(mapNest(2)) ;;
      reduceMapFission @ outermost(appliedReduce) ;;
      reorder([1, 2, 5, 6, 3, 4])
      <+ fail
    ");
    let text = "sketch split32 = containsMap(m/32, containsMap(32, containsMap(n/32, containsMap(32, containsReduceSeq(k/4, containsReduceSeq(4, containsAddMul))))))";
    insta::assert_snapshot!(formatted(Language::Elevate, text), @r"
    sketch split32 =
      containsMap(m/32,
        containsMap(32,
          containsMap(n/32,
            containsMap(32,
              containsReduceSeq(k/4,
                containsReduceSeq(4, containsAddMul))))))
    ");
    let text = "rule liftReduceSeq = map (reduceSeq op init) ~> \\y. reduceSeq (\\acc v. map (\\z. op (fst z) (snd z)) (zip acc v)) (generate (\\i. init)) (transpose y) where acc notin op, v notin op";
    insta::assert_snapshot!(formatted(Language::Rules, text), @r"
    rule liftReduceSeq =
      map (reduceSeq op init)
      ~> \y.
        reduceSeq (\acc v. map (\z. op (fst z) (snd z)) (zip acc v)) (generate (\i. init)) (transpose y)
      where acc notin op, v notin op
    ");
}

#[test]
fn unicode_is_a_choice() {
    let options = Options { charset: Charset::Unicode, width: 100 };
    let text = "def f (a: n.(s * t)): n.s -> t = a |> map (\\x. x * 2 <= 3)";
    assert_eq!(
        format(Language::Program, FileId(0), text, &options).unwrap(),
        "def f (a: n.(s × t)): n.s → t = a ▷ map (λx. x*2 ≤ 3)\n".replace("x*2", "x×2")
    );
    let (tree, _) = super::super::parse_sketch(FileId(0), "a or b and ?");
    assert_eq!(print::expr(&tree, &options), "a ∨ b ∧ ?");
}

#[test]
fn pairs_that_are_taken_apart_stay_as_they_are_written() {
    let text =
        "def f (a: n.(f32 * (f32 * i32))) = map (\\(x, (y, k)) . let (u,v)= (x, y) in u>=v and k!=0) a";
    insta::assert_snapshot!(formatted(Language::Program, text), @r"
    def f (a: n.(f32 * (f32 * i32))) = map (\(x, (y, k)). let (u, v) = (x, y) in u >= v and k != 0) a
    ");
}
