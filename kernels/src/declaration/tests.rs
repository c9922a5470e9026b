use super::*;

fn one(text: &str) -> Parameter {
    let mut list = parse_list(text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(list.len(), 1, "{text}");
    list.remove(0)
}

#[test]
fn types_in_any_order_of_words() {
    for (text, dtype) in [
        ("unsigned n_", DType::UInt32),
        ("unsigned int count", DType::UInt32),
        ("long unsigned int count", DType::UInt64),
        ("int long unsigned long count", DType::UInt64),
        ("char c", DType::Int8),
        ("unsigned char c", DType::UInt8),
        ("size_t count", DType::UInt64),
        ("pycuda::complex<float> c", DType::Complex64),
        ("gpurepl::complex<double> c", DType::Complex128),
    ] {
        assert_eq!(one(text).ctype, CType::Scalar(dtype), "{text}");
    }
}

#[test]
fn pointers_and_their_constness() {
    let pointer = |dtype, is_const| CType::Pointer { element: Some(dtype), is_const };
    for (text, expected) in [
        ("float *x", pointer(DType::Float32, false)),
        ("const float *x", pointer(DType::Float32, true)),
        ("float const * __restrict__ x", pointer(DType::Float32, true)),
        ("float * const x", pointer(DType::Float32, false)),
        ("double x[]", pointer(DType::Float64, false)),
        ("const unsigned char x[16]", pointer(DType::UInt8, true)),
        ("pycuda::complex<double> *x", pointer(DType::Complex128, false)),
    ] {
        let parameter = one(text);
        assert_eq!((parameter.name.as_str(), parameter.ctype), ("x", expected), "{text}");
    }
}

#[test]
fn definitions_may_leave_names_out_and_use_unknown_types() {
    let source = "float, Pair<int, float> p, int **q, void *r, unsigned";
    let list = parse_definition(source, &tokens(source), &from_table).unwrap();
    let shown: Vec<_> = list.iter().map(|p| (p.name.as_str(), p.spelling.as_str())).collect();
    assert_eq!(
        shown,
        [("", "float"), ("p", "Pair<int,float>"), ("q", "int **"), ("r", "void *"), ("", "unsigned")]
    );
    assert_eq!(list[1].ctype, CType::Other);
    assert_eq!(list[2].ctype, CType::Pointer { element: None, is_const: false });
    assert_eq!(list[3].ctype, CType::Pointer { element: None, is_const: false });
    assert_eq!(parse_definition("void", &tokens("void"), &from_table).unwrap(), []);
}

#[test]
fn parameters_in_forms_that_few_use() {
    let source = "double (*o)[2], [[maybe_unused]] int n, float m[][4], int k = f(1, 2), T... rest, \
                  const float (*a)[3][4], alignas(8) int *p, decltype(nullptr) d, void (*call)(int, int), \
                  struct Point at, int *const *q, __attribute__((unused)) const char *text, std::pair<int, int> both";
    let list = parse_definition(source, &tokens(source), &from_table).unwrap();
    let names: Vec<&str> = list.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["o", "n", "m", "k", "rest", "a", "p", "d", "call", "at", "q", "text", "both"]);
    let pointer = |element, is_const| CType::Pointer { element, is_const };
    let ctypes: Vec<CType> = list.iter().map(|p| p.ctype).collect();
    assert_eq!(
        ctypes,
        [
            pointer(Some(DType::Float64), false),
            CType::Scalar(DType::Int32),
            pointer(Some(DType::Float32), false),
            CType::Scalar(DType::Int32),
            CType::Other,
            pointer(Some(DType::Float32), true),
            pointer(Some(DType::Int32), false),
            CType::Other,
            CType::Other,
            CType::Other,
            pointer(None, false),
            pointer(Some(DType::Int8), true),
            CType::Other,
        ]
    );
    assert_eq!(list[3].default.as_deref(), Some("f(1, 2)"));
    assert!(list[4].is_pack && !list[5].is_pack && list[11].is_char && !list[1].is_char);
    assert_eq!(
        types_of(source, &tokens(source)),
        "double (*)[2], int, float[][4], int, T..., const float (*)[3][4], int *, decltype(nullptr), \
         void (*)(int, int), struct Point, int *const *, const char *, std::pair<int, int>"
    );
}

#[test]
fn what_is_written_back_is_read_the_same() {
    let text = "float a, const float *x, unsigned int count, gpurepl::complex<float> *c, bool flag";
    let list = parse_list(text).unwrap();
    let written = list.iter().map(Parameter::to_c).collect::<Vec<_>>().join(", ");
    assert_eq!(written, text);
}

#[test]
fn mistakes_are_named() {
    for (text, message) in [
        ("", "the kernel has no arguments"),
        ("float a,, float *x", "a declaration is missing between two commas"),
        ("float a, float *a", "two arguments are called `a`"),
        ("float *", "this argument has no name"),
        ("float &x", "a kernel cannot take a reference"),
        ("float *x; float y", "unexpected `;`"),
        ("float *x y", "unexpected `y`"),
        ("flaot *x", "unknown type `flaot`"),
    ] {
        assert_eq!(parse_list(text).unwrap_err().message, message, "{text}");
    }
}

#[test]
fn types_that_c_does_not_know_are_the_preambles() {
    let text = "float a, const Pair<int> *pairs, matrix *m";
    let list = parse_list(text).unwrap();
    assert_eq!(list.iter().map(Parameter::to_c).collect::<Vec<_>>().join(", "), text);
    let message = |preamble: &str| check_types(&list, text, preamble).unwrap_err().message;
    assert_eq!(message(""), "unknown type `Pair<int>`");
    assert_eq!(message("template <class T> struct Pair { T a, b; };"), "unknown type `matrix`");
    assert!(check_types(&list, text, "#include \"types.h\"").is_ok());
    let error = check_types(&list, text, "struct Pair;").unwrap_err();
    assert_eq!(&text[error.span.clone()], "matrix");
    assert!(check_types(&list[..1], text, "").is_ok());
}
