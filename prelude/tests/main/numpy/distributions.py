"""Probabilities of distributions, for tests of random numbers.

A line: the distribution and its parameters, then pairs: a number and the
probability that a random number is not above it; last the mean and the variance,
where they are finite. Run it with SciPy: `python distributions.py > distributions.txt`.
"""

from scipy import stats

CASES = [
    ("standard_normal", (), stats.norm()),
    ("normal", (3, 0.5), stats.norm(3, 0.5)),
    ("exponential", (2.5,), stats.expon(scale=2.5)),
    ("gamma", (0.05, 1), stats.gamma(0.05)),
    ("gamma", (0.7, 2), stats.gamma(0.7, scale=2)),
    ("gamma", (1, 1), stats.gamma(1)),
    ("gamma", (9.5, 0.25), stats.gamma(9.5, scale=0.25)),
    ("gamma", (1e6, 1), stats.gamma(1e6)),
    ("beta", (0.02, 0.05), stats.beta(0.02, 0.05)),
    ("beta", (0.5, 0.5), stats.beta(0.5, 0.5)),
    ("beta", (2, 5), stats.beta(2, 5)),
    ("beta", (300, 100), stats.beta(300, 100)),
    ("chisquare", (3,), stats.chi2(3)),
    ("f", (4, 7), stats.f(4, 7)),
    ("standard_t", (3,), stats.t(3)),
    ("uniform", (-2, 5), stats.uniform(-2, 7)),
    ("lognormal", (0.5, 0.75), stats.lognorm(0.75, scale=2.718281828459045**0.5)),
    ("laplace", (1, 2), stats.laplace(1, 2)),
    ("logistic", (-1, 0.5), stats.logistic(-1, 0.5)),
    ("gumbel", (2, 3), stats.gumbel_r(2, 3)),
    ("weibull", (1.5,), stats.weibull_min(1.5)),
    ("pareto", (3,), stats.lomax(3)),
    ("power", (2.5,), stats.powerlaw(2.5)),
    ("rayleigh", (2,), stats.rayleigh(scale=2)),
    ("standard_cauchy", (), stats.cauchy()),
    ("triangular", (-1, 0.5, 4), stats.triang(0.3, -1, 5)),
    ("wald", (2, 3), stats.invgauss(2 / 3, scale=3)),
    ("poisson", (0.3,), stats.poisson(0.3)),
    ("poisson", (9.9,), stats.poisson(9.9)),
    ("poisson", (10,), stats.poisson(10)),
    ("poisson", (1234.5,), stats.poisson(1234.5)),
    ("poisson", (1e8,), stats.poisson(1e8)),
    ("binomial", (1, 0.5), stats.binom(1, 0.5)),
    ("binomial", (20, 0.3), stats.binom(20, 0.3)),
    ("binomial", (20, 0.9), stats.binom(20, 0.9)),
    ("binomial", (40, 0.5), stats.binom(40, 0.5)),
    ("binomial", (1000, 0.77), stats.binom(1000, 0.77)),
    ("binomial", (10**9, 1e-7), stats.binom(10**9, 1e-7)),
    ("negative_binomial", (3.5, 0.4), stats.nbinom(3.5, 0.4)),
    ("geometric", (0.9,), stats.geom(0.9)),
    ("geometric", (0.01,), stats.geom(0.01)),
    ("noncentral_chisquare", (0.5, 2), stats.ncx2(0.5, 2)),
    ("noncentral_chisquare", (5, 30), stats.ncx2(5, 30)),
    ("noncentral_f", (5, 12, 3), stats.ncf(5, 12, 3)),
    ("zipf", (4,), stats.zipf(4)),
    ("zipf", (2.2,), stats.zipf(2.2)),
    ("logseries", (0.3,), stats.logser(0.3)),
    ("logseries", (0.99,), stats.logser(0.99)),
    ("vonmises", (0, 1e-9), stats.uniform(-3.141592653589793, 6.283185307179586)),
    ("vonmises", (0, 0.3), stats.vonmises(0.3)),
    ("vonmises", (0, 4), stats.vonmises(4)),
    ("vonmises", (0, 1e5), stats.vonmises(1e5)),
    ("vonmises", (1, 1e8), stats.norm(1, 1e-4)),
    ("hypergeometric", (7, 5, 4), stats.hypergeom(12, 7, 4)),
    ("hypergeometric", (30, 20, 45), stats.hypergeom(50, 30, 45)),
    ("hypergeometric", (300, 900, 100), stats.hypergeom(1200, 300, 100)),
    ("hypergeometric", (900, 300, 1000), stats.hypergeom(1200, 900, 1000)),
]


def main():
    for name, parameters, law in CASES:
        points = sorted({float(law.ppf(p)) for p in (0.001, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98, 0.999)})
        pairs = [f"{x!r} {float(law.cdf(x))!r}" for x in points]
        mean, variance = (float(value) for value in law.stats("mv"))
        print(" ".join([name, *(repr(float(p)) for p in parameters)]), *pairs, f"{mean!r} {variance!r}", sep=", ")


main()
