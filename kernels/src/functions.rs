//! The tables of elementwise functions of one array and of two.
//!
//! A row is all that a function is beside its loop on the host: its document
//! for users, the method's name and the variant of [`UnaryOp`](crate::UnaryOp),
//! NumPy's name where the method has another one (it is a second method), and
//! the CUDA C. In the text `{a}` is the element, `{f}` what the names of C's
//! functions of `float` end with, and `{c}` the type. The groups differ in the
//! types that they take and give:
//!
//! | group | takes | gives |
//! |---|---|---|
//! | `analytic` | numbers, also complex ones (see `complex_functions`), as floats | that type |
//! | `floating` | real numbers, as floats | that type of float |
//! | `rounding` | real numbers; integers are their own answer | the type itself |
//! | `special` | as `floating`; these are functions of the module `special` | |
//! | `tests` | floats and complex numbers, whose parts are asked | `bool` |
//! | `signs` | floats | `bool` |
//!
//! Of two arrays, whose elements are `{a}` and `{b}`, and `{k}` what kind of
//! numbers they are, `signed`, `unsigned` or `float`:
//!
//! | group | takes | gives |
//! |---|---|---|
//! | `floating` | real numbers, as the float that holds both | that type |
//! | `common` | real numbers, as the type that holds both | that type |
//! | `integers` | integers, as the type that holds both | that type |
//! | `special` | as `floating`; these are functions of the module `special` | |
//!
//! `prelude/arrays` makes the methods from it, `prelude/native` has a loop for
//! each: one that has none does not compile.

/// Calls a macro with the table's rows.
#[doc(hidden)]
#[macro_export]
macro_rules! functions_of_one_array {
    ($rows:ident) => {
        $rows! {
            analytic {
                /// The square root of each element; NaN of negative ones.
                sqrt Sqrt: "sqrt{f}({a})";
                /// *e* to the power of each element.
                exp Exp: "exp{f}({a})";
                /// 2 to the power of each element.
                exp2 Exp2: "exp2{f}({a})";
                /// *e* to the power of each element, less 1; exact for small
                /// elements too.
                expm1 Expm1: "expm1{f}({a})";
                /// The natural logarithm of each element.
                log Log: "log{f}({a})";
                /// The logarithm to base 2 of each element.
                log2 Log2: "log2{f}({a})";
                /// The decimal logarithm of each element.
                log10 Log10: "log10{f}({a})";
                /// The natural logarithm of each element plus 1; exact for small
                /// elements too.
                log1p Log1p: "log1p{f}({a})";
                /// The sine of each element, in radians.
                sin Sin: "sin{f}({a})";
                /// The cosine of each element, in radians.
                cos Cos: "cos{f}({a})";
                /// The tangent of each element, in radians.
                tan Tan: "tan{f}({a})";
                /// The inverse sine of each element, in radians.
                asin Arcsin arcsin: "asin{f}({a})";
                /// The inverse cosine of each element, in radians.
                acos Arccos arccos: "acos{f}({a})";
                /// The inverse tangent of each element, in radians.
                atan Arctan arctan: "atan{f}({a})";
                /// The hyperbolic sine of each element.
                sinh Sinh: "sinh{f}({a})";
                /// The hyperbolic cosine of each element.
                cosh Cosh: "cosh{f}({a})";
                /// The hyperbolic tangent of each element.
                tanh Tanh: "tanh{f}({a})";
                /// The inverse hyperbolic sine of each element.
                asinh Arcsinh arcsinh: "asinh{f}({a})";
                /// The inverse hyperbolic cosine of each element; NaN of those
                /// below 1.
                acosh Arccosh arccosh: "acosh{f}({a})";
                /// The inverse hyperbolic tangent of each element; NaN of those
                /// beyond -1 and 1.
                atanh Arctanh arctanh: "atanh{f}({a})";
                /// The nearest whole number, the even one of two: `rint(2.5)` is 2.
                rint Rint: "rint{f}({a})";
            }
            floating {
                /// The cube root of each element, also of negative ones.
                cbrt Cbrt: "cbrt{f}({a})";
                /// Degrees as radians.
                deg2rad Deg2rad radians: "{a} * ({c})0.017453292519943295";
                /// Radians as degrees.
                rad2deg Rad2deg degrees: "{a} * ({c})57.29577951308232";
                /// `sin(pi x) / (pi x)`, and 1 of zeros.
                sinc Sinc: "gpurepl_sinc<{c}>({a})";
                /// The modified Bessel function of the first kind of order 0.
                i0 I0: "cyl_bessel_i0{f}({a})";
            }
            rounding {
                /// The largest whole number that is at most each element.
                floor Floor: "floor{f}({a})";
                /// The smallest whole number that is at least each element.
                ceil Ceil: "ceil{f}({a})";
                /// Each element without its fraction.
                trunc Trunc fix: "trunc{f}({a})";
                /// Each element, 0 for NaN, and the largest or the lowest number of
                /// the type for an infinity.
                nan_to_num NanToNum: "{a} != {a} ? ({c})0 : fmin(fmax({a}, -({c}){m}), ({c}){m})";
            }
            tests {
                /// Where elements are NaN; of complex numbers, where a part is.
                isnan Isnan: "isnan({a})";
                /// Where elements are infinite; of complex numbers, where a part is.
                isinf Isinf: "isinf({a})";
                /// Where elements are neither infinite nor NaN.
                isfinite Isfinite: "isfinite({a})";
            }
            signs {
                /// Where the sign is negative, also of zeros and NaN.
                signbit Signbit: "signbit({a})";
                /// Where elements are positive infinity.
                isposinf Isposinf: "isinf({a}) && {a} > 0";
                /// Where elements are negative infinity.
                isneginf Isneginf: "isinf({a}) && {a} < 0";
            }
            special {
                /// The error function of each element.
                erf Erf: "erf{f}({a})";
                /// 1 less the error function, exact where that is near 1.
                erfc Erfc: "erfc{f}({a})";
                /// The gamma function; NaN at -1, -2 and so on.
                gamma Gamma: "tgamma{f}({a})";
                /// The logarithm of the gamma function's absolute value.
                gammaln Gammaln lgamma: "lgamma{f}({a})";
                /// The logistic function, `1 / (1 + exp(-x))`.
                expit Expit: "({c})gpurepl_special::expit({a})";
                /// The logarithm of `p / (1 - p)`, which undoes [`expit`].
                logit Logit: "({c})gpurepl_special::logit({a})";
                /// The logarithm of the logistic function, also where that is too small for a
                /// float.
                log_expit LogExpit: "({c})gpurepl_special::log_expit({a})";
                /// The probability that a number of the standard normal distribution is less.
                ndtr Ndtr: "({c})gpurepl_special::ndtr({a})";
                /// The logarithm of [`ndtr`], also where that is too small for a float.
                log_ndtr LogNdtr: "({c})gpurepl_special::log_ndtr({a})";
                /// The number below which a standard normal one is with each probability.
                ndtri Ndtri: "({c})gpurepl_special::ndtri({a})";
                /// The inverse of the error function.
                erfinv Erfinv: "({c})gpurepl_special::erfinv({a})";
                /// The inverse of [`erfc`].
                erfcinv Erfcinv: "({c})gpurepl_special::erfcinv({a})";
                /// The entropy of each element, `-x * log(x)`; 0 of zeros.
                entr Entr: "({c})gpurepl_special::entr({a})";
                /// The logarithmic derivative of the gamma function.
                digamma Digamma psi: "({c})gpurepl_special::digamma({a})";
                /// The modified Bessel function of the first kind of order 0, times
                /// `exp(-abs(x))`.
                i0e I0e: "({c})gpurepl_special::i0e({a})";
                /// The modified Bessel function of the first kind of order 1.
                i1 I1: "({c})gpurepl_special::i1({a})";
                /// [`i1`] times `exp(-abs(x))`.
                i1e I1e: "({c})gpurepl_special::i1e({a})";
                /// The Bessel function of the first kind of order 0.
                j0 J0: "j0{f}({a})";
                /// The Bessel function of the first kind of order 1.
                j1 J1: "j1{f}({a})";
                /// The Bessel function of the second kind of order 0.
                y0 Y0: "y0{f}({a})";
                /// The Bessel function of the second kind of order 1.
                y1 Y1: "y1{f}({a})";
                /// `exp(x * x)` times [`erfc`], also where that is too small for a float.
                erfcx Erfcx: "({c})gpurepl_special::erfcx({a})";
                /// 1 divided by the gamma function; 0 at 0, -1 and so on.
                rgamma Rgamma: "({c})gpurepl_special::rgamma({a})";
                /// The exponential integral E1; NaN of negative elements.
                exp1 Exp1: "({c})gpurepl_special::exp1({a})";
                /// The exponential integral Ei.
                expi Expi: "({c})gpurepl_special::expi({a})";
                /// `(exp(x) - 1) / x`, and 1 of zeros.
                exprel Exprel: "({c})gpurepl_special::exprel({a})";
                /// 10 to the power of each element.
                exp10 Exp10: "({c})gpurepl_special::exp10({a})";
                /// `cos(x) - 1`, exact for small elements too.
                cosm1 Cosm1: "({c})gpurepl_special::cosm1({a})";
                /// The sine of each element, in degrees.
                sindg Sindg: "({c})gpurepl_special::sindg({a})";
                /// The cosine of each element, in degrees.
                cosdg Cosdg: "({c})gpurepl_special::cosdg({a})";
                /// The tangent of each element, in degrees.
                tandg Tandg: "({c})gpurepl_special::tandg({a})";
                /// The cotangent of each element, in degrees.
                cotdg Cotdg: "({c})gpurepl_special::cotdg({a})";
                /// The complete elliptic integral of the first kind of the parameter `m`.
                ellipk Ellipk: "({c})gpurepl_special::ellipk({a})";
                /// [`ellipk`] of 1 less each element, exact near 0.
                ellipkm1 Ellipkm1: "({c})gpurepl_special::ellipkm1({a})";
                /// The complete elliptic integral of the second kind of the parameter `m`.
                ellipe Ellipe: "({c})gpurepl_special::ellipe({a})";
                /// The modified Bessel function of the second kind of order 0.
                k0 K0: "({c})gpurepl_special::k0({a})";
                /// [`k0`] times `exp(x)`.
                k0e K0e: "({c})gpurepl_special::k0e({a})";
                /// The modified Bessel function of the second kind of order 1.
                k1 K1: "({c})gpurepl_special::k1({a})";
                /// [`k1`] times `exp(x)`.
                k1e K1e: "({c})gpurepl_special::k1e({a})";
            }
        }
    };
}

/// Calls a macro with the rows of functions of two arrays.
#[doc(hidden)]
#[macro_export]
macro_rules! functions_of_two_arrays {
    ($rows:ident) => {
        $rows! {
            floating {
                /// The length of the hypotenuse: `sqrt(a*a + b*b)`, which does not
                /// overflow.
                hypot Hypot: "hypot{f}({a}, {b})";
                /// The angle of the point with this height and the other width:
                /// `y.arctan2(&x)`, in radians.
                atan2 Arctan2 arctan2: "atan2{f}({a}, {b})";
                /// Each element with the sign of the other.
                copysign Copysign: "copysign{f}({a}, {b})";
                /// The next number of the type towards the other.
                nextafter Nextafter: "{next}({a}, {b})";
                /// `log(exp(a) + exp(b))`, which does not overflow.
                logaddexp Logaddexp: "gpurepl_logaddexp<{c}>({a}, {b})";
                /// `log2(exp2(a) + exp2(b))`, which does not overflow.
                logaddexp2 Logaddexp2: "gpurepl_logaddexp2<{c}>({a}, {b})";
                /// 0 of negative elements, 1 of positive ones, and the other of zeros.
                heaviside Heaviside: "{a} == 0 ? {b} : {a} > 0 ? ({c})1 : {a} < 0 ? ({c})0 : {a}";
            }
            common {
                /// The rest of a division towards zero, which has the sign of this
                /// array: C's `%`. That of Python is `&a % &b`. Of integers a division
                /// by zero leaves 0.
                fmod Fmod: "gpurepl_fmod_{k}<{c}>({a}, {b})";
                /// The larger of two elements, which a NaN is only of two.
                fmax Fmax: "gpurepl_fmax_{k}<{c}>({a}, {b})";
                /// The smaller of two elements, which a NaN is only of two.
                fmin Fmin: "gpurepl_fmin_{k}<{c}>({a}, {b})";
            }
            integers {
                /// The greatest common divisor.
                gcd Gcd: "gpurepl_gcd<{c}>({a}, {b})";
                /// The least common multiple.
                lcm Lcm: "gpurepl_lcm<{c}>({a}, {b})";
            }
            special {
                /// `x * log(y)`, and 0 where `x` is 0.
                xlogy Xlogy: "({c})gpurepl_special::xlogy({a}, {b})";
                /// `x * log(1 + y)`, and 0 where `x` is 0.
                xlog1py Xlog1py: "({c})gpurepl_special::xlog1py({a}, {b})";
                /// The relative entropy, `x * log(x / y)`.
                rel_entr RelEntr: "({c})gpurepl_special::rel_entr({a}, {b})";
                /// The divergence of Kullback and Leibler, `x * log(x / y) - x + y`.
                kl_div KlDiv: "({c})gpurepl_special::kl_div({a}, {b})";
                /// Hurwitz's zeta function: the sum of `(k + q)**-x` for `k` from 0 on.
                /// Riemann's is `zeta(&x, 1)`.
                zeta Zeta: "({c})gpurepl_special::zeta({a}, {b})";
                /// The derivative number `n`, which is whole, of `digamma`: `polygamma(1, &x)`.
                polygamma Polygamma: "({c})gpurepl_special::polygamma({a}, {b})";
                /// The regularized lower incomplete gamma function of `a` and `x`.
                gammainc Gammainc: "({c})gpurepl_special::gammainc({a}, {b})";
                /// The regularized upper incomplete gamma function of `a` and `x`.
                gammaincc Gammaincc: "({c})gpurepl_special::gammaincc({a}, {b})";
                /// The beta function of `a` and `b`.
                beta Beta: "({c})gpurepl_special::beta({a}, {b})";
                /// The logarithm of the absolute value of [`beta`].
                betaln Betaln: "({c})gpurepl_special::betaln({a}, {b})";
                /// Pochhammer's symbol: `gamma(a + m) / gamma(a)`.
                poch Poch: "({c})gpurepl_special::poch({a}, {b})";
                /// Where [`gammainc`] of `a` has this value.
                gammaincinv Gammaincinv: "({c})gpurepl_special::gammaincinv({a}, {b})";
                /// Where [`gammaincc`] of `a` has this value.
                gammainccinv Gammainccinv: "({c})gpurepl_special::gammainccinv({a}, {b})";
                /// The generalized exponential integral of order `n`, which is whole.
                expn Expn: "({c})gpurepl_special::expn({a}, {b})";
                /// The Bessel function of the second kind of order `n`, which is whole. NaN where
                /// both are beyond a million.
                yn Yn: "({c})gpurepl_special::yn({a}, {b})";
                /// The probability of at most `k` events, of Poisson's distribution of mean `m`.
                pdtr Pdtr: "({c})gpurepl_special::pdtr({a}, {b})";
                /// The probability of more than `k` events, of Poisson's distribution of mean `m`.
                pdtrc Pdtrc: "({c})gpurepl_special::pdtrc({a}, {b})";
                /// The mean with which [`pdtr`] of `k` has this value.
                pdtri Pdtri: "({c})gpurepl_special::pdtri({a}, {b})";
                /// The probability that a number of the chi-square distribution with `v` degrees of
                /// freedom is less than `x`.
                chdtr Chdtr: "({c})gpurepl_special::chdtr({a}, {b})";
                /// The probability that it is greater; see [`chdtr`].
                chdtrc Chdtrc: "({c})gpurepl_special::chdtrc({a}, {b})";
                /// Where [`chdtrc`] of `v` has this value.
                chdtri Chdtri: "({c})gpurepl_special::chdtri({a}, {b})";
                /// The transform of Box and Cox, `(x**lmbda - 1) / lmbda`; `log(x)` where `lmbda`
                /// is 0.
                boxcox Boxcox: "({c})gpurepl_special::boxcox({a}, {b})";
                /// [`boxcox`] of `1 + x`, exact for small `x` too.
                boxcox1p Boxcox1p: "({c})gpurepl_special::boxcox1p({a}, {b})";
                /// What [`boxcox`] makes of it is `x`.
                inv_boxcox InvBoxcox: "({c})gpurepl_special::inv_boxcox({a}, {b})";
                /// What [`boxcox1p`] makes of it is `x`.
                inv_boxcox1p InvBoxcox1p: "({c})gpurepl_special::inv_boxcox1p({a}, {b})";
                /// Huber's loss: a square up to `delta`, and a line from there on.
                huber Huber: "({c})gpurepl_special::huber({a}, {b})";
                /// A smooth [`huber`]: `delta**2 * (sqrt(1 + (r / delta)**2) - 1)`.
                pseudo_huber PseudoHuber: "({c})gpurepl_special::pseudo_huber({a}, {b})";
                /// The spherical Bessel function of the second kind of order `n`, which is whole. NaN
                /// where both are beyond a million.
                spherical_yn SphericalYn: "({c})gpurepl_harmonics::spherical_yn({a}, {b})";
                /// Jacobi's elliptic sine of `u` with the parameter `m`, from 0 to 1.
                jacobi_sn JacobiSn: "({c})gpurepl_harmonics::jacobi_sn({a}, {b})";
                /// Jacobi's elliptic cosine of `u` with the parameter `m`, from 0 to 1.
                jacobi_cn JacobiCn: "({c})gpurepl_harmonics::jacobi_cn({a}, {b})";
                /// Jacobi's delta amplitude of `u` with the parameter `m`, from 0 to 1.
                jacobi_dn JacobiDn: "({c})gpurepl_harmonics::jacobi_dn({a}, {b})";
                /// Jacobi's amplitude of `u` with the parameter `m`, from 0 to 1: the angle
                /// whose sine is [`jacobi_sn`].
                jacobi_amplitude JacobiAmplitude: "({c})gpurepl_harmonics::jacobi_amplitude({a}, {b})";
            }
        }
    };
}

/// Calls a macro with the functions of three arrays: their documents, names, the variants
/// of [`TernaryOp`](crate::TernaryOp) and the modules of `special_functions` that have them.
/// They are of the module `special`, take real numbers, as the float that holds them all, and
/// give that.
#[doc(hidden)]
#[macro_export]
macro_rules! functions_of_three_arrays {
    ($rows:ident) => {
        $rows! {
            /// The regularized incomplete beta function of `a` and `b` up to `x`.
            betainc Betainc beta;
            /// Where [`betainc`] of `a` and `b` has this value.
            betaincinv Betaincinv beta;
            /// The probability of at most `k` successes in `n` trials, of the binomial
            /// distribution with the probability `p` of one.
            bdtr Bdtr beta;
            /// The probability of more than `k` successes in `n` trials; see [`bdtr`].
            bdtrc Bdtrc beta;
            /// The probability `p` with which [`bdtr`] of `k` and `n` has this value.
            bdtri Bdtri beta;
            /// The probability of a number below `x`, of the *F* distribution with `dfn` and
            /// `dfd` degrees of freedom.
            fdtr Fdtr beta;
            /// The probability that it is greater; see [`fdtr`].
            fdtrc Fdtrc beta;
            /// Where [`fdtr`] of `dfn` and `dfd` has this value.
            fdtri Fdtri beta;
            /// The probability of at most `k` failures before `n` successes, of the negative
            /// binomial distribution with the probability `p` of a success.
            nbdtr Nbdtr beta;
            /// The probability of more than `k` failures before `n` successes; see [`nbdtr`].
            nbdtrc Nbdtrc beta;
            /// The probability `p` with which [`nbdtr`] of `k` and `n` has this value.
            nbdtri Nbdtri beta;
            /// The associated Legendre function of order `m`, which is whole, and degree `v`,
            /// from -1 to 1.
            lpmv Lpmv harmonics;
            /// The size of [`sph_harm`], with its sign: of order `m` and degree `n`, which are whole,
            /// at the polar angle.
            #[doc(hidden)]
            harmonic_size HarmonicSize harmonics;
        }
    };
}
