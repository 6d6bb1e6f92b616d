// What a GPU does between products of matrices. Compiled when a GPU is opened, for the GPU that is there.
//
// Matrices lie row by row. A position is a row of a batch at a step; the positions of a step stand together, step after step, and
// `starts` says where each step's begin. No sum depends on which thread comes first: the same input gives the same bits.

// How many rows a warp works on at once, and for how many places of the state.
const int ROWS = 4;
const int UNITS = 4;
const unsigned ALL = 0xffffffffu;

__device__ float sigmoid(float x)
{
    return 1.0f / (1.0f + expf(-x));
}

// The sums of 16 numbers over the lanes of a warp: each lane is given that of the number of its own place, modulo 16.
// At each turn a lane gives half of its numbers away and takes the other half of its partner's.
__device__ float sum_of_own_place(float *numbers)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int half = 8; half > 0; half /= 2) {
        const bool upper = lane & half;
#pragma unroll
        for (int place = 0; place < half; place++) {
            const float given = upper ? numbers[place] : numbers[place + half];
            const float kept = upper ? numbers[place + half] : numbers[place];
            numbers[place] = kept + __shfl_xor_sync(ALL, given, half);
        }
    }
    return numbers[0] + __shfl_xor_sync(ALL, numbers[0], 16);
}

// The sum of a number over all threads of a block of 256; every thread is given it.
__device__ float sum_of_block(float number)
{
    __shared__ float sums[8];
    for (int far = 16; far > 0; far /= 2)
        number += __shfl_xor_sync(ALL, number, far);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = number;
    __syncthreads();
    number = 0.0f;
    for (int warp = 0; warp < 8; warp++)
        number += sums[warp];
    return number;
}

// All blocks wait for each other; afterwards each sees what the others have written. They must all be running: launched together.
// `goal` is how many blocks have ever arrived when the last one is there. The count may wrap.
__device__ void meet(unsigned *arrivals, unsigned goal)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrivals, 1);
        while ((int)(*(volatile unsigned *)arrivals - goal) < 0)
            ;
        __threadfence();
    }
    __syncthreads();
}

// A tile: rows of a step, and places of the state ("units"). Those beyond the end are worked out as the last, and not written.
struct Tile {
    int rows[ROWS];
    int units[UNITS];
    // What this lane is to write: the lanes 0 to 15 have one row and unit each.
    int row;
    int unit;
    bool writes;

    __device__ Tile(int row_tile, int rows_in_step, int unit_tile, int hidden)
    {
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int row = 0; row < ROWS; row++)
            rows[row] = min(row_tile * ROWS + row, rows_in_step - 1);
#pragma unroll
        for (int unit = 0; unit < UNITS; unit++)
            units[unit] = min(unit_tile * UNITS + unit, hidden - 1);
        const int own_row = row_tile * ROWS + lane % 16 / UNITS;
        const int own_unit = unit_tile * UNITS + lane % UNITS;
        writes = lane < 16 && own_row < rows_in_step && own_unit < hidden;
        row = min(own_row, rows_in_step - 1);
        unit = min(own_unit, hidden - 1);
    }
};

// The recurrent unit over all steps of a batch. `recurrent` has a row for each gate's each unit, `before` holds the first step's
// states already. States that others have written are read past the first cache, which would not know of them.
extern "C" __global__ void __launch_bounds__(256) run_forward(
    const float *inputs, const float *bias, const float *recurrent, const float *recurrent_bias, const unsigned *slots,
    const unsigned *starts, int steps, int hidden, float *before, float *after, float *gates, float *candidates, float *last,
    unsigned *arrivals, unsigned arrived)
{
    const int warp = threadIdx.x / 32, warps = blockDim.x / 32, lane = threadIdx.x % 32;
    for (int step = 0; step < steps; step++) {
        const int start = starts[step], next = starts[step + 1], rows = next - start;
        const int next_rows = step + 1 < steps ? starts[step + 2] - next : 0;
        for (int unit_tile = blockIdx.x; unit_tile * UNITS < hidden; unit_tile += gridDim.x) {
            for (int row_tile = warp; row_tile * ROWS < rows; row_tile += warps) {
                const Tile tile(row_tile, rows, unit_tile, hidden);
                const int position = start + tile.row, unit = tile.unit;
                const float *input = inputs + (size_t)slots[position] * 3 * hidden;
                const float input_reset = input[unit] + bias[unit];
                const float input_update = input[hidden + unit] + bias[hidden + unit];
                const float input_candidate = input[2 * hidden + unit] + bias[2 * hidden + unit];
                const float old = __ldcg(before + (size_t)position * hidden + unit);

                float sums[3][ROWS * UNITS] = {};
#pragma unroll 4
                for (int place = lane; place < hidden; place += 32) {
                    float states[ROWS];
#pragma unroll
                    for (int row = 0; row < ROWS; row++)
                        states[row] = __ldcg(before + (size_t)(start + tile.rows[row]) * hidden + place);
#pragma unroll
                    for (int gate = 0; gate < 3; gate++) {
#pragma unroll
                        for (int unit = 0; unit < UNITS; unit++) {
                            const size_t column = gate * hidden + tile.units[unit];
                            const float weight = __ldg(recurrent + column * hidden + place);
#pragma unroll
                            for (int row = 0; row < ROWS; row++)
                                sums[gate][row * UNITS + unit] += states[row] * weight;
                        }
                    }
                }
                const float reset = sigmoid(sum_of_own_place(sums[0]) + input_reset);
                const float update = sigmoid(sum_of_own_place(sums[1]) + input_update);
                const float part = sum_of_own_place(sums[2]) + recurrent_bias[unit];
                const float candidate = tanhf(input_candidate + reset * part);
                const float state = candidate + update * (old - candidate);
                if (!tile.writes)
                    continue;
                float *own_gates = gates + (size_t)position * 3 * hidden + unit;
                own_gates[0] = reset;
                own_gates[hidden] = update;
                own_gates[2 * hidden] = part;
                candidates[(size_t)position * hidden + unit] = candidate;
                after[(size_t)position * hidden + unit] = state;
                if (tile.row < next_rows)
                    before[(size_t)(next + tile.row) * hidden + unit] = state;
                else
                    last[(size_t)tile.row * hidden + unit] = state;
            }
        }
        if (step + 1 < steps)
            meet(arrivals, arrived += gridDim.x);
    }
}

// The way back. `flow` holds the gradient of each row's last state and is left with that of its first; `later`, if it counts, is
// added to it after each step. What `run_forward` left in `gates` and `candidates` becomes its gradient. A unit of a row is always
// the same thread's, so that only the gates need to be waited for.
extern "C" __global__ void __launch_bounds__(256) run_backward(
    const float *recurrent, const unsigned *starts, int steps, int hidden, const float *before, const float *later, int has_later,
    float *gates, float *candidates, float *flow, unsigned *arrivals, unsigned arrived)
{
    const int warp = threadIdx.x / 32, warps = blockDim.x / 32, lane = threadIdx.x % 32;
    for (int step = steps - 1; step >= 0; step--) {
        const int start = starts[step], rows = starts[step + 1] - start;
        for (int unit_tile = blockIdx.x; unit_tile * UNITS < hidden; unit_tile += gridDim.x) {
            for (int row_tile = warp; row_tile * ROWS < rows; row_tile += warps) {
                const Tile tile(row_tile, rows, unit_tile, hidden);
                if (!tile.writes)
                    continue;
                const size_t place = (size_t)(start + tile.row) * hidden + tile.unit;
                float *own_gates = gates + (size_t)(start + tile.row) * 3 * hidden + tile.unit;
                const float reset = own_gates[0], update = own_gates[hidden], part = own_gates[2 * hidden];
                const float candidate = candidates[place];
                float *own_flow = flow + (size_t)tile.row * hidden + tile.unit;
                const float comes = *own_flow + (has_later ? later[place] : 0.0f);
                const float kept = comes * update;
                const float of_candidate = (comes - kept) * (1.0f - candidate * candidate);
                const float through = of_candidate * reset;
                own_gates[0] = through * part * (1.0f - reset);
                own_gates[hidden] = kept * (before[place] - candidate) * (1.0f - update);
                own_gates[2 * hidden] = through;
                candidates[place] = of_candidate;
                *own_flow = kept;
            }
        }
        meet(arrivals, arrived += gridDim.x);
        for (int unit_tile = blockIdx.x; unit_tile * UNITS < hidden; unit_tile += gridDim.x) {
            for (int row_tile = warp; row_tile * ROWS < rows; row_tile += warps) {
                const Tile tile(row_tile, rows, unit_tile, hidden);
                float sums[ROWS * UNITS] = {};
#pragma unroll 8
                for (int place = lane; place < 3 * hidden; place += 32) {
                    float slopes[ROWS];
#pragma unroll
                    for (int row = 0; row < ROWS; row++)
                        slopes[row] = __ldcg(gates + (size_t)(start + tile.rows[row]) * 3 * hidden + place);
#pragma unroll
                    for (int unit = 0; unit < UNITS; unit++) {
                        const float weight = __ldg(recurrent + (size_t)tile.units[unit] * 3 * hidden + place);
#pragma unroll
                        for (int row = 0; row < ROWS; row++)
                            sums[row * UNITS + unit] += slopes[row] * weight;
                    }
                }
                const float sum = sum_of_own_place(sums);
                if (tile.writes)
                    flow[(size_t)tile.row * hidden + tile.unit] += sum;
            }
        }
    }
}

// Rows and columns exchanged. Blocks of 32 by 8 threads, one for each square of 32.
extern "C" __global__ void transpose(const float *from, int rows, int columns, float *into)
{
    __shared__ float square[32][33];
    const int row = blockIdx.y * 32, column = blockIdx.x * 32;
    for (int down = threadIdx.y; down < 32; down += 8)
        if (row + down < rows && column + threadIdx.x < columns)
            square[down][threadIdx.x] = from[(size_t)(row + down) * columns + column + threadIdx.x];
    __syncthreads();
    for (int down = threadIdx.y; down < 32; down += 8)
        if (column + down < columns && row + threadIdx.x < rows)
            into[(size_t)(column + down) * rows + row + threadIdx.x] = square[threadIdx.x][down];
}

// Row after row from where `index` says. A block for each row.
extern "C" __global__ void gather_rows(const float *from, const unsigned *index, int columns, float *into)
{
    const float *source = from + (size_t)index[blockIdx.x] * columns;
    for (int column = threadIdx.x; column < columns; column += blockDim.x)
        into[(size_t)blockIdx.x * columns + column] = source[column];
}

// Row after row added where `index` says, nowhere twice. A block for each row.
extern "C" __global__ void scatter_rows(const float *from, const unsigned *index, int columns, float *into)
{
    float *target = into + (size_t)index[blockIdx.x] * columns;
    for (int column = threadIdx.x; column < columns; column += blockDim.x)
        target[column] += from[(size_t)blockIdx.x * columns + column];
}

// The gradient of what each distinct token added to the gates: the sum over the positions where it stands. A block for each token.
extern "C" __global__ void sum_positions(
    const float *gates, const float *candidates, const unsigned *member_starts, const unsigned *members, int hidden, float *inputs)
{
    const unsigned first = member_starts[blockIdx.x], end = member_starts[blockIdx.x + 1];
    for (int column = threadIdx.x; column < 3 * hidden; column += blockDim.x) {
        float sum = 0.0f;
        for (unsigned member = first; member < end; member++) {
            const size_t position = members[member];
            sum += column < 2 * hidden ? gates[position * 3 * hidden + column]
                                       : candidates[position * hidden + column - 2 * hidden];
        }
        inputs[(size_t)blockIdx.x * 3 * hidden + column] = sum;
    }
}

// The sum of each column, of those from `first` on. Blocks of 32 by 32 threads, one for each 32 columns.
extern "C" __global__ void sum_columns(const float *from, int rows, int all_columns, int first, int columns, float *into)
{
    __shared__ float sums[32][33];
    const int column = blockIdx.x * 32 + threadIdx.x;
    float sum = 0.0f;
    if (column < columns)
        for (int row = threadIdx.y; row < rows; row += 32)
            sum += from[(size_t)row * all_columns + first + column];
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y > 0 || column >= columns)
        return;
    sum = 0.0f;
    for (int part = 0; part < 32; part++)
        sum += sums[part][threadIdx.x];
    into[column] = sum;
}

// The weighted loss at each position; logits, to which the bias is still to be added, become their gradients. A block of 256 for
// each position.
extern "C" __global__ void cross_entropy(
    const float *bias, const unsigned *wanted, const unsigned *weights, int vocabulary, float *logits, float *losses)
{
    __shared__ float most_of[8];
    float *row = logits + (size_t)blockIdx.x * vocabulary;
    float most = __int_as_float(0xff800000); // minus infinity, which has no name without headers
    for (int token = threadIdx.x; token < vocabulary; token += 256) {
        row[token] += bias[token];
        most = fmaxf(most, row[token]);
    }
    for (int far = 16; far > 0; far /= 2)
        most = fmaxf(most, __shfl_xor_sync(ALL, most, far));
    if (threadIdx.x % 32 == 0)
        most_of[threadIdx.x / 32] = most;
    __syncthreads();
    for (int warp = 0; warp < 8; warp++)
        most = fmaxf(most, most_of[warp]);
    const unsigned token_wanted = wanted[blockIdx.x];
    const float weight = __uint_as_float(weights[blockIdx.x]), below = most - row[token_wanted];
    float sum = 0.0f;
    for (int token = threadIdx.x; token < vocabulary; token += 256)
        sum += expf(row[token] - most);
    sum = sum_of_block(sum);
    for (int token = threadIdx.x; token < vocabulary; token += 256)
        row[token] = expf(row[token] - most) * (weight / sum) - (token == token_wanted ? weight : 0.0f);
    if (threadIdx.x == 0)
        losses[blockIdx.x] = weight * (below + logf(sum));
}

// Adds up the losses of a batch, times its weight. One block of 256.
extern "C" __global__ void add_losses(const float *losses, int count, double weight, double *total)
{
    float sum = 0.0f;
    for (int place = threadIdx.x; place < count; place += 256)
        sum += losses[place];
    sum = sum_of_block(sum);
    if (threadIdx.x == 0)
        *total += weight * sum;
}

// The sum of the squares, in as many parts as there are blocks of 256.
extern "C" __global__ void sum_squares(const float *values, int count, float *parts)
{
    float sum = 0.0f;
    for (int place = blockIdx.x * 256 + threadIdx.x; place < count; place += gridDim.x * 256)
        sum += values[place] * values[place];
    sum = sum_of_block(sum);
    if (threadIdx.x == 0)
        parts[blockIdx.x] = sum;
}

// How much a gradient is to be shortened, from the parts of its square, of which there are at most 256.
__device__ float shortened(const float *parts, int count, float clip)
{
    const float length = sqrtf(sum_of_block(threadIdx.x < count ? parts[threadIdx.x] : 0.0f));
    return length > clip ? clip / length : 1.0f;
}

extern "C" __global__ void follow_sgd(
    const float *gradient, int count, const float *parts, int part_count, float clip, float rate, float *parameters)
{
    rate *= shortened(parts, part_count, clip);
    for (int place = blockIdx.x * 256 + threadIdx.x; place < count; place += gridDim.x * 256)
        parameters[place] -= rate * gradient[place];
}

extern "C" __global__ void follow_adam(
    const float *gradient, int count, const float *parts, int part_count, float clip, float rate, float grown, float kept_of_mean,
    float kept_of_square, float tiny, float *means, float *squares, float *parameters)
{
    const float shorten = shortened(parts, part_count, clip);
    for (int place = blockIdx.x * 256 + threadIdx.x; place < count; place += gridDim.x * 256) {
        const float slope = gradient[place] * shorten, squared = slope * slope;
        const float mean = slope + kept_of_mean * (means[place] - slope);
        const float square = squared + kept_of_square * (squares[place] - squared);
        means[place] = mean;
        squares[place] = square;
        parameters[place] -= rate * mean / (sqrtf(square * grown) + tiny);
    }
}
