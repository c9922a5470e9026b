// An ensemble of Lorenz systems, each integrated by one thread with the
// classical Runge-Kutta method of fourth order.
struct State {
    double x, y, z;
};

__device__ State operator+(State a, State b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
__device__ State operator*(double t, State a) { return {t * a.x, t * a.y, t * a.z}; }

struct Lorenz {
    double sigma, rho, beta;

    __device__ State operator()(const State &s) const
    {
        return {sigma * (s.y - s.x), s.x * (rho - s.z) - s.y, s.x * s.y - beta * s.z};
    }
};

template <typename System>
__device__ State step(const System &slope, State s, double dt)
{
    State a = slope(s), b = slope(s + 0.5 * dt * a), c = slope(s + 0.5 * dt * b), d = slope(s + dt * c);
    return s + dt / 6 * (a + 2.0 * b + 2.0 * c + d);
}

// The systems differ in rho; states are in three arrays.
__global__ void integrate(double *x, double *y, double *z, const double *rho, size_t n, int steps, double dt)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        Lorenz system = {10, rho[i], 8.0 / 3};
        State state = {x[i], y[i], z[i]};
        for (int k = 0; k < steps; k++)
            state = step(system, state, dt);
        x[i] = state.x, y[i] = state.y, z[i] = state.z;
    }
}
