//! What can be done with elements, and the C text of each: functions of one
//! element, of two, and reductions of many.

use crate::DType;
use crate::dtype::Kind;

/// The functions that have no row in the table, and those that have.
macro_rules! functions_of_one {
    ($($group:ident { $($(#[$doc:meta])* $method:ident $op:ident $($numpy:ident)?: $text:literal;)* })*) => {
        /// A function of one element.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)] // NumPy's functions of these names.
        pub enum UnaryOp {
            Negative,
            Absolute,
            Invert,
            Conjugate,
            Real,
            Imag,
            Sign,
            Reciprocal,
            /// What a float has after its point.
            Fraction,
            /// The part of a float from 1/2 to 1: `frexp`.
            Mantissa,
            /// The power of 2 that goes with it, an `i32`.
            Exponent,
            /// The angle of a complex number, also of a real one.
            Angle,
            /// An `i64` that compares as the `f32` does, NaN as the greatest; all bits of
            /// its lower half are set.
            Order,
            /// The same, NaN as the least, and no bit of the lower half is set.
            OrderNanFirst,
            /// The logarithm of the gamma function, also of a complex number; NaN of
            /// negative real ones.
            Loggamma,
            /// Of an `f64`, a `complex128`: the number and its square, which one sum adds
            /// up in one pass.
            WithSquare,
            $($($op,)*)*
        }

        impl UnaryOp {
            /// Those of the table, by groups.
            pub const TABLE: &[(Group, &[UnaryOp])] = &[$((Group::$group, &[$(UnaryOp::$op),*])),*];

            /// The row of the table: its group and the C text.
            const fn row(self) -> Option<(Group, &'static str)> {
                match self {
                    $($(UnaryOp::$op => Some((Group::$group, $text)),)*)*
                    _ => None,
                }
            }
        }
    };
}
crate::functions_of_one_array!(functions_of_one);

impl UnaryOp {
    /// Whether a processor computes it while it waits for memory.
    pub const fn is_cheap(self) -> bool {
        match self.row() {
            Some((Group::rounding | Group::tests | Group::signs, _)) => true,
            Some((Group::analytic | Group::floating | Group::special, _)) => matches!(self, UnaryOp::Sqrt),
            None => !matches!(self, UnaryOp::Angle | UnaryOp::Loggamma),
        }
    }
}

/// A group of the table of [functions](crate::functions).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(non_camel_case_types, reason = "the names of the table")]
pub enum Group {
    /// Floats from floats, complex numbers from complex numbers.
    analytic,
    /// Floats from floats.
    floating,
    /// Whole numbers from numbers.
    rounding,
    /// Booleans from floats and complex numbers.
    tests,
    /// Booleans from floats.
    signs,
    /// As `floating`.
    special,
}

/// An enumeration, and a list of all that it has.
macro_rules! listed {
    ($(#[$attribute:meta])* pub enum $name:ident { $($(#[$doc:meta])* $variant:ident,)* }) => {
        $(#[$attribute])*
        pub enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl $name {
            /// All of them.
            pub const ALL: &[$name] = &[$($name::$variant),*];
        }
    };
}

macro_rules! functions_of_two {
    ($($group:ident { $($(#[$doc:meta])* $method:ident $op:ident $($numpy:ident)?: $text:literal;)* })*) => {
        listed! {
            /// A function of two elements of one type.
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            #[allow(missing_docs)] // NumPy's functions of these names.
            pub enum BinaryOp {
                Add,
                Subtract,
                Multiply,
                /// True division; the operands are floats or complex numbers.
                Divide,
                FloorDivide,
                Remainder,
                Power,
                Maximum,
                Minimum,
                And,
                Or,
                Xor,
                LeftShift,
                RightShift,
                Less,
                LessEqual,
                Greater,
                GreaterEqual,
                Equal,
                NotEqual,
                /// A float times 2 to the power of the other, a whole number.
                Ldexp,
                $($($op,)*)*
            }
        }

        impl BinaryOp {
            /// The row of the table: its group, the name and the C text.
            const fn row(self) -> Option<(Pairs, &'static str, &'static str)> {
                match self {
                    $($(BinaryOp::$op => Some((Pairs::$group, stringify!($method), $text)),)*)*
                    _ => None,
                }
            }
        }
    };
}
crate::functions_of_two_arrays!(functions_of_two);

macro_rules! functions_of_three {
    ($($(#[$doc:meta])* $name:ident $op:ident $module:ident;)*) => {
        listed! {
            /// A function of three floats of one type.
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            #[allow(missing_docs)] // SciPy's functions of these names.
            pub enum TernaryOp {
                $($op,)*
            }
        }

        impl TernaryOp {
            /// SciPy's name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(TernaryOp::$op => stringify!($name),)*
                }
            }

            /// The function in CUDA C.
            const fn function(self) -> &'static str {
                match self {
                    $(TernaryOp::$op => concat!("gpurepl_", stringify!($module), "::", stringify!($name)),)*
                }
            }
        }
    };
}
crate::functions_of_three_arrays!(functions_of_three);

/// A group of the table of functions of two arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(non_camel_case_types, reason = "the names of the table")]
pub enum Pairs {
    /// Of floats.
    floating,
    /// Of real numbers.
    common,
    /// Of integers.
    integers,
    /// Of floats, as functions of a module.
    special,
}

impl BinaryOp {
    /// Whether the answer is a boolean whatever the operands are.
    pub const fn is_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(self, Less | LessEqual | Greater | GreaterEqual | Equal | NotEqual)
    }

    /// The comparison that answers the same with its operands exchanged; any
    /// other function itself.
    pub const fn reversed(self) -> BinaryOp {
        use BinaryOp::*;
        match self {
            Less => Greater,
            LessEqual => GreaterEqual,
            Greater => Less,
            GreaterEqual => LessEqual,
            other => other,
        }
    }

    /// Whether a processor computes it while it waits for memory.
    pub const fn is_cheap(self) -> bool {
        self.row().is_none() && !matches!(self, BinaryOp::Power | BinaryOp::Ldexp)
    }

    /// The group of a function that has a row in the table.
    pub const fn group(self) -> Option<Pairs> {
        match self.row() {
            Some((group, ..)) => Some(group),
            None => None,
        }
    }

    /// NumPy's name, for messages.
    pub const fn name(self) -> &'static str {
        use BinaryOp::*;
        if let Some((_, name, _)) = self.row() {
            return name;
        }
        match self {
            Add => "add",
            Subtract => "subtract",
            Multiply => "multiply",
            Divide => "divide",
            FloorDivide => "floor_divide",
            Remainder => "remainder",
            Power => "power",
            Maximum => "maximum",
            Minimum => "minimum",
            And => "bitwise_and",
            Or => "bitwise_or",
            Xor => "bitwise_xor",
            LeftShift => "left_shift",
            RightShift => "right_shift",
            Less => "less",
            LessEqual => "less_equal",
            Greater => "greater",
            GreaterEqual => "greater_equal",
            Equal => "equal",
            NotEqual => "not_equal",
            Ldexp => "ldexp",
            _ => "",
        }
    }
}
/// A reduction that the library has of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // NumPy's functions of these names.
pub enum ReduceOp {
    Sum,
    Product,
    Maximum,
    Minimum,
    Any,
    All,
}

impl ReduceOp {
    /// NumPy's name, for messages.
    pub const fn name(self) -> &'static str {
        match self {
            ReduceOp::Sum => "sum",
            ReduceOp::Product => "prod",
            ReduceOp::Maximum => "max",
            ReduceOp::Minimum => "min",
            ReduceOp::Any => "any",
            ReduceOp::All => "all",
        }
    }

    /// The function of two values that this reduction repeats.
    pub const fn combining(self) -> BinaryOp {
        match self {
            ReduceOp::Sum => BinaryOp::Add,
            ReduceOp::Product => BinaryOp::Multiply,
            ReduceOp::Maximum => BinaryOp::Maximum,
            ReduceOp::Minimum => BinaryOp::Minimum,
            ReduceOp::Any => BinaryOp::Or,
            ReduceOp::All => BinaryOp::And,
        }
    }

    /// Whether there is an answer for no elements at all.
    pub const fn has_identity(self) -> bool {
        !matches!(self, ReduceOp::Maximum | ReduceOp::Minimum)
    }

    /// The value in C that changes nothing. For a maximum or minimum it is
    /// the lowest or highest value of the type, infinities included.
    pub(crate) fn neutral(self, dtype: DType) -> String {
        let number = match self {
            ReduceOp::Sum | ReduceOp::Any => "0",
            ReduceOp::Product | ReduceOp::All => "1",
            ReduceOp::Maximum => lowest(dtype),
            ReduceOp::Minimum => highest(dtype),
        };
        if dtype.is_complex() {
            let part = dtype.real().c();
            let imaginary = if self.has_identity() { "0" } else { number };
            format!("{}(({part}){number}, ({part}){imaginary})", dtype.c())
        } else {
            format!("({})({number})", dtype.c())
        }
    }

    pub(crate) fn combine(self, dtype: DType) -> String {
        binary(self.combining(), dtype, "a", "b")
    }
}

fn lowest(dtype: DType) -> &'static str {
    match dtype {
        DType::Int8 => "-128",
        DType::Int16 => "-32768",
        DType::Int32 => "-2147483647 - 1",
        DType::Int64 => "-9223372036854775807ll - 1",
        DType::Float32 | DType::Complex64 => "-__int_as_float(0x7f800000)",
        DType::Float64 | DType::Complex128 => "-__longlong_as_double(0x7ff0000000000000ll)",
        _ => "0",
    }
}

fn highest(dtype: DType) -> &'static str {
    match dtype {
        DType::Int8 => "127",
        DType::Int16 => "32767",
        DType::Int32 => "2147483647",
        DType::Int64 => "9223372036854775807ll",
        DType::UInt8 => "255",
        DType::UInt16 => "65535",
        DType::UInt32 => "4294967295u",
        DType::UInt64 => "18446744073709551615ull",
        DType::Float32 | DType::Complex64 => "__int_as_float(0x7f800000)",
        DType::Float64 | DType::Complex128 => "__longlong_as_double(0x7ff0000000000000ll)",
        _ => "1",
    }
}
/// How a value is held between steps: half precision as a rounded `float`.
pub(crate) fn register(dtype: DType) -> &'static str {
    if dtype == DType::Float16 { "float" } else { dtype.c() }
}
/// The name of a C maths function for a type: `sinf` or `sin`.
fn function(name: &str, dtype: DType, arguments: &str) -> String {
    let suffix = if dtype == DType::Float64 { "" } else { "f" };
    format!("{name}{suffix}({arguments})")
}

fn unsigned(dtype: DType) -> &'static str {
    if dtype.size() == 8 { "unsigned long long" } else { "unsigned int" }
}

pub(crate) fn unary(op: UnaryOp, dtype: DType, a: &str) -> String {
    use UnaryOp::*;
    let c = dtype.c();
    match op {
        Negative if dtype.is_integer() => format!("({c})(0u - ({}){a})", unsigned(dtype)),
        Negative => format!("-{a}"),
        Absolute if dtype.is_complex() => function("hypot", dtype.real(), &format!("{a}.re, {a}.im")),
        Absolute if dtype.is_float() => function("fabs", dtype, a),
        Absolute if dtype.kind() == Kind::Signed => {
            format!("{a} < 0 ? ({c})(0u - ({}){a}) : {a}", unsigned(dtype))
        }
        Absolute => a.to_owned(),
        Invert if dtype == DType::Bool => format!("!{a}"),
        Invert => format!("({c})~{a}"),
        Conjugate if dtype.is_complex() => format!("{c}({a}.re, -{a}.im)"),
        Conjugate => a.to_owned(),
        Real if dtype.is_complex() => format!("{a}.re"),
        Real => a.to_owned(),
        Imag if dtype.is_complex() => format!("{a}.im"),
        Imag => format!("({c})0"),
        Sign if dtype.is_complex() => format!("gpurepl_sign_complex<{c}>({a})"),
        Sign if dtype.is_float() => {
            let held = register(dtype);
            format!("{a} != {a} ? {a} : ({held})(({a} > 0) - ({a} < 0))")
        }
        Sign if dtype.kind() == Kind::Signed => format!("({c})(({a} > 0) - ({a} < 0))"),
        Sign => format!("({c})({a} != 0)"),
        Reciprocal if dtype.is_float() => format!("{}(1) / {a}", register(dtype)),
        Reciprocal if dtype.is_complex() => {
            crate::complex_functions::text(op, dtype, a).expect("a function of complex numbers")
        }
        // Only 1 and -1 have one, which is the number itself.
        Reciprocal if dtype.kind() == Kind::Signed => format!("({c})({a} == 1 || {a} == -1 ? {a} : 0)"),
        Reciprocal => format!("({c})({a} == 1)"),
        Angle if dtype.is_complex() => function("atan2", dtype.real(), &format!("{a}.im, {a}.re")),
        Angle => function("atan2", dtype, &format!("({})0, {a}", register(dtype))),
        Loggamma if dtype.is_complex() => {
            crate::complex_functions::text(op, dtype, a).expect("a function of complex numbers")
        }
        Loggamma => {
            let (held, value) = (register(dtype), function("lgamma", dtype, a));
            format!("{a} < 0 ? ({held})__longlong_as_double(0x7ff8000000000000ll) : {value}")
        }
        Fraction => format!("gpurepl_fraction<{}>({a})", register(dtype)),
        Mantissa => format!("gpurepl_mantissa<{}>({a})", register(dtype)),
        Exponent => format!("gpurepl_exponent<{}>({a})", register(dtype)),
        Order => format!("gpurepl_order({a}, 0x7fffffff, 0xffffffffu)"),
        OrderNanFirst => format!("gpurepl_order({a}, -0x7fffffff - 1, 0)"),
        WithSquare => format!("gpurepl::complex<double>({a}, {a} * {a})"),
        _ => row(op, dtype, a),
    }
}

/// The text of a function that has a row in the table.
fn row(op: UnaryOp, dtype: DType, a: &str) -> String {
    let (group, text) = op.row().expect("functions that have no row have a text");
    match group {
        Group::rounding if !dtype.is_float() => a.to_owned(),
        Group::analytic if dtype.is_complex() => {
            let part = |part: &str| row(op, dtype.real(), &format!("{a}.{part}"));
            crate::complex_functions::text(op, dtype, a)
                .unwrap_or_else(|| format!("{}({}, {})", dtype.c(), part("re"), part("im")))
        }
        Group::tests if dtype.is_complex() => {
            let part = |part: &str| row(op, dtype.real(), &format!("{a}.{part}"));
            let join = if op == UnaryOp::Isfinite { "&&" } else { "||" };
            format!("{} {join} {}", part("re"), part("im"))
        }
        _ => {
            let suffix = if dtype == DType::Float64 { "" } else { "f" };
            let most = match dtype {
                DType::Float16 => "65504",
                DType::Float32 => "3.4028234663852886e38",
                _ => "1.7976931348623157e308",
            };
            text.replace("{a}", a).replace("{f}", suffix).replace("{m}", most).replace("{c}", register(dtype))
        }
    }
}

pub(crate) fn ternary(op: TernaryOp, dtype: DType, a: &str, b: &str, c: &str) -> String {
    format!("({}){}({a}, {b}, {c})", register(dtype), op.function())
}

pub(crate) fn binary(op: BinaryOp, dtype: DType, a: &str, b: &str) -> String {
    use BinaryOp::*;
    let (c, boolean, integer) = (dtype.c(), dtype == DType::Bool, dtype.is_integer());
    let held = register(dtype);
    let flavour = match dtype.kind() {
        Kind::Signed => "signed",
        Kind::Float => "float",
        _ => "unsigned",
    };
    // Signed overflow wraps around in NumPy and is undefined in C.
    let wrapping = |sign: &str| {
        if integer {
            format!("({c})(({u}){a} {sign} ({u}){b})", u = unsigned(dtype))
        } else {
            format!("{a} {sign} {b}")
        }
    };
    let compare = |sign: &str| {
        if dtype.is_complex() {
            // NumPy's order of complex numbers: by real, then imaginary part.
            format!("({a}.re == {b}.re ? {a}.im {sign} {b}.im : {a}.re {sign} {b}.re)")
        } else {
            format!("{a} {sign} {b}")
        }
    };
    match op {
        Add if boolean => format!("{a} || {b}"),
        Multiply if boolean => format!("{a} && {b}"),
        Add => wrapping("+"),
        Subtract => wrapping("-"),
        Multiply => wrapping("*"),
        Divide => format!("{a} / {b}"),
        FloorDivide => format!("gpurepl_floor_divide_{flavour}<{held}>({a}, {b})"),
        Remainder => format!("gpurepl_remainder_{flavour}<{held}>({a}, {b})"),
        Power if dtype.is_float() => function("pow", dtype, &format!("{a}, {b}")),
        Power if dtype.is_complex() => {
            format!("{c}(gpurepl_complex::cpow(gpurepl_complex::c64({a}), gpurepl_complex::c64({b})))")
        }
        Power => format!("gpurepl_power_integer<{held}>({a}, {b})"),
        // A NaN on either side is the answer.
        Maximum | Minimum => {
            let sign = if op == Maximum { ">=" } else { "<=" };
            let first = compare(sign);
            if dtype.is_complex() {
                // One part may compare where the other is NaN.
                let nan = |x: &str| format!("({x}.re != {x}.re || {x}.im != {x}.im)");
                format!("({} || (!{} && {first})) ? {a} : {b}", nan(a), nan(b))
            } else if dtype.is_float() {
                format!("({first} || {a} != {a}) ? {a} : {b}")
            } else {
                format!("({first}) ? {a} : {b}")
            }
        }
        And => format!("({c})({a} & {b})"),
        Or => format!("({c})({a} | {b})"),
        Xor => format!("({c})({a} ^ {b})"),
        LeftShift => format!("gpurepl_shift_left<{c}>({a}, {b})"),
        RightShift => format!("gpurepl_shift_right<{c}>({a}, {b})"),
        Less => compare("<"),
        LessEqual => compare("<="),
        Greater => compare(">"),
        GreaterEqual => compare(">="),
        Equal => format!("{a} == {b}"),
        NotEqual => format!("{a} != {b}"),
        Ldexp => function("ldexp", dtype, &format!("{a}, (int){b}")),
        _ => {
            let (_, _, text) = op.row().expect("functions that have no row have a text");
            let (suffix, next) = match dtype {
                DType::Float64 => ("", "nextafter"),
                DType::Float16 => ("f", "gpurepl_nextafter_half"),
                _ => ("f", "nextafterf"),
            };
            text.replace("{a}", a)
                .replace("{b}", b)
                .replace("{f}", suffix)
                .replace("{next}", next)
                .replace("{k}", flavour)
                .replace("{c}", held)
        }
    }
}
