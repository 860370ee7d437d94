//! What kind of thing a pattern is: a column of the table of patterns. Whoever treats patterns alike asks here, so that
//! a new pattern is known everywhere by its row.

use super::pattern::Pattern;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    /// Computes a scalar from scalars, on vectors lane by lane.
    Scalar(Operands),
    /// One of two values, of any type.
    Choice,
    /// Says where the elements or components of its result lie among those of its arguments.
    View(View),
    /// Applies a function where its result is read, to one value or to each index.
    Lazy,
    /// `map`, in some way.
    Map(How),
    /// `reduce`, in some way.
    Reduce(How),
    /// The results of a reduction on its way.
    Scan,
    /// Elements of a stream, kept for as long as windows need them.
    Buffer,
    /// Puts elements where they belong as they are written. What can be read where it lies is read by a choice of places.
    Written,
    /// Says where a value is kept or computed; the value is that of its argument.
    Memory,
    /// A function as often as a number says.
    Repeated,
    /// What a program declares.
    Declared,
}

/// What a scalar operation works on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operands {
    Numbers,
    Integers,
    Floats,
    /// The bits of integers.
    Bits,
    /// Numbers, of which one is the greater; the result is a truth value.
    Ordered,
    /// Values that are equal or not; the result is a truth value.
    Equal,
    Truth,
    /// Whatever can be a number of another type.
    Convertible,
}

/// What a view shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum View {
    /// The argument itself, or its number.
    Same,
    /// Parts of pairs, and pairs of parts.
    Parts,
    /// Each element once, elsewhere: can be written as well as read.
    Moved,
    /// Some elements, also several times, at places that follow from the index.
    Shown,
    /// Elements at places that must be computed, or found among several.
    Sought,
}

/// How the elements of a `map` or `reduce` are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// Left open: in any order, where they are needed.
    Open,
    /// One by one, as the consumer asks.
    Stream,
    /// One by one, asking for those of a stream.
    Consumer,
    Sequential,
    Unrolled,
    /// By threads of the host.
    Threads,
    /// By work-items, in a dimension that is an argument.
    Global,
    WorkGroup,
    Local,
}

impl Pattern {
    pub fn sort(self) -> Sort {
        match self {
            Pattern::Declared(_) => Sort::Declared,
            listed => listed.row().sort,
        }
    }

    /// What its operands are, if it computes a scalar from scalars and other patterns do not say how.
    pub fn operands(self) -> Option<Operands> {
        match self.sort() {
            Sort::Scalar(operands) => Some(operands),
            _ => None,
        }
    }

    /// Does it compute a scalar from scalars, foreign functions included?
    pub fn is_scalar(self) -> bool {
        self.operands().is_some() || self.is_foreign()
    }

    /// Does it compute a scalar from scalars, and from vectors lane by lane?
    pub fn is_lanewise(self) -> bool {
        self.operands().is_some()
    }

    /// Is it a foreign function?
    pub fn is_foreign(self) -> bool {
        self.declared().is_some_and(|d| d.foreign().is_some())
    }

    /// Does it compute a number of numbers, all of one type?
    pub fn is_numeric(self) -> bool {
        use Operands as O;
        matches!(self.operands(), Some(O::Numbers | O::Integers | O::Floats | O::Bits))
    }

    /// Does it compute a number of two of its type, but by a function of [`super::math`]?
    pub fn is_arithmetic(self) -> bool {
        use Operands as O;
        matches!(self.operands(), Some(O::Numbers | O::Integers | O::Bits)) && self.parameters() == 2
    }

    /// Is it arithmetic that compilers do with constants, and never refuse for floats?
    pub fn is_constant_arithmetic(self) -> bool {
        use Pattern as P;
        matches!(self, P::Neg | P::Add | P::Sub | P::Mul | P::Div)
    }

    /// Is it associative, up to the rounding of floats, and commutative?
    pub fn is_monoid(self) -> bool {
        use Pattern as P;
        matches!(self, P::Add | P::Mul | P::Min | P::Max | P::And | P::Or | P::BitAnd | P::BitOr | P::BitXor)
    }

    /// Does it work on the bits of integers?
    pub fn is_of_bits(self) -> bool {
        self.operands() == Some(Operands::Bits)
    }

    /// Does it compare two numbers?
    pub fn is_comparison(self) -> bool {
        matches!(self.operands(), Some(Operands::Ordered | Operands::Equal))
    }

    /// Is it `map`, or one of the ways to do it?
    pub fn is_map(self) -> bool {
        matches!(self.sort(), Sort::Map(_))
    }

    /// Is it `reduce`, or one of the ways to do it?
    pub fn is_reduce(self) -> bool {
        matches!(self.sort(), Sort::Reduce(_))
    }

    /// Is it one of the ways to do `reduce`, with an accumulator in memory?
    pub fn is_lowered_reduce(self) -> bool {
        matches!(self.sort(), Sort::Reduce(how) if how != How::Open)
    }

    /// Is it a way to do `reduce` that a single thread or work-item runs?
    pub fn is_sequential_reduce(self) -> bool {
        matches!(self.sort(), Sort::Reduce(How::Sequential | How::Unrolled))
    }

    /// Do the work-items of a group do it together?
    pub fn is_local(self) -> bool {
        matches!(self.sort(), Sort::Map(How::Local) | Sort::Reduce(How::Local))
    }

    /// Does it go through an array with an accumulator?
    pub fn accumulates(self) -> bool {
        self.is_reduce() || self.sort() == Sort::Scan
    }

    /// Is it a `map` that is a loop of its own, which writes its elements?
    pub fn is_loop(self) -> bool {
        matches!(self.sort(), Sort::Map(how) if !matches!(how, How::Open | How::Stream | How::Consumer))
    }

    /// Is its result a stream, which is read once and in order?
    pub fn is_stream(self) -> bool {
        matches!(self.sort(), Sort::Map(How::Stream) | Sort::Buffer)
    }

    /// Does it say where data is, and nothing that would have to be computed to read it?
    pub fn is_view(self) -> bool {
        matches!(self.sort(), Sort::View(view) if view != View::Sought)
    }

    /// Does it put each element of an array elsewhere, so that it can be written there at once?
    pub fn is_moved(self) -> bool {
        self.sort() == Sort::View(View::Moved)
    }

    /// Is the result read by reading the arguments, and by what functions among them compute?
    pub fn is_read_through(self) -> bool {
        matches!(self.sort(), Sort::View(_) | Sort::Lazy | Sort::Map(How::Open))
    }

    /// The number of its parameters, by its type scheme; for `makeArray`, of which it is an argument, one.
    pub fn parameters(self) -> usize {
        match self {
            Pattern::Declared(declared) => declared.arity(),
            listed => listed.row().parameters,
        }
    }
}

/// The arrows of a type scheme that are not within another type.
pub(super) const fn arrows(scheme: &str) -> usize {
    let text = scheme.as_bytes();
    let (mut i, mut depth, mut count) = (0, 0, 0);
    while i < text.len() {
        match text[i] {
            b'(' | b'{' | b'[' => depth += 1,
            b')' | b'}' | b']' => depth -= 1,
            b'>' if depth == 0 && i > 0 && text[i - 1] == b'-' => count += 1,
            _ => {}
        }
        i += 1;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::super::math;
    use super::super::pattern::all;
    use super::*;

    #[test]
    fn columns_agree_with_each_other() {
        for row in all() {
            let p = row.pattern;
            assert_eq!(p.sort() == Sort::Scalar(Operands::Floats), math::of(p).is_some(), "{p}");
            // A loop of its own reads its array and writes its result.
            let writes = row.access.ends_with("-> w");
            assert!(!p.is_loop() || writes, "{p}");
            assert!(!(p.is_read_through() || p.is_stream()) || !writes, "{p}");
            let takes = match p.sort() {
                Sort::Map(_) | Sort::Buffer => 2,
                Sort::Reduce(_) | Sort::Scan | Sort::Choice => 3,
                _ => p.parameters(),
            };
            assert_eq!(p.parameters(), takes, "{p}");
        }
    }

    #[test]
    fn parameters_are_counted() {
        let of = |p: Pattern| p.parameters();
        assert_eq!([of(Pattern::Neg), of(Pattern::Add), of(Pattern::Select)], [1, 2, 3]);
        assert_eq!([of(Pattern::Zip), of(Pattern::ReduceSeq), of(Pattern::Split)], [2, 3, 1]);
        assert_eq!([of(Pattern::Iterate), of(Pattern::Scatter), of(Pattern::Let)], [2, 2, 2]);
    }
}
