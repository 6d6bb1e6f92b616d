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

// A lane gives half of its numbers away and takes the other half of its partner's. With the half known to the compiler, numbers stay in
// registers; in a loop they would not.
template <int HALF>
__device__ __forceinline__ void halve(float *numbers)
{
    const bool upper = threadIdx.x & HALF;
#pragma unroll
    for (int place = 0; place < HALF; place++) {
        const float given = upper ? numbers[place] : numbers[place + HALF];
        const float kept = upper ? numbers[place + HALF] : numbers[place];
        numbers[place] = kept + __shfl_xor_sync(ALL, given, HALF);
    }
}

// The sums of 16 numbers over the lanes of a warp: each lane is given that of the number of its own place, modulo 16.
__device__ __forceinline__ float sum_of_own_place(float *numbers)
{
    halve<8>(numbers);
    halve<4>(numbers);
    halve<2>(numbers);
    halve<1>(numbers);
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
        unsigned arrived;
        asm volatile("red.release.gpu.global.add.u32 [%0], 1;" : : "l"(arrivals) : "memory");
        do {
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(arrived) : "l"(arrivals) : "memory");
        } while ((int)(arrived - goal) < 0);
    }
    __syncthreads();
}

// What a lane of a warp is to write of a tile of rows and places of the state ("units"): lanes 0 to 15 have one row and unit each, and
// so have their twins 16 lanes on, which do not write. Rows beyond the end are worked out as the last.
struct Own {
    int row;
    int unit;
    bool writes;

    __device__ Own(int row_tile, int rows, int unit_tile)
    {
        const int lane = threadIdx.x % 32;
        row = min(row_tile * ROWS + lane % 16 / UNITS, rows - 1);
        unit = unit_tile * UNITS + lane % UNITS;
        writes = lane < 16 && row_tile * ROWS + lane % 16 / UNITS < rows;
    }
};

// The products of the rows of a tile with some columns, of which this lane adds up its share; `length` is a multiple of 4. `from` has
// the row of a step after another, `columns` a column after another.
template <int COLUMNS>
__device__ __forceinline__ void multiply(
    const float *from, int row_tile, int rows, int length, const float *columns, float sums[COLUMNS / UNITS][ROWS * UNITS])
{
    const float4 *row_at[ROWS];
#pragma unroll
    for (int row = 0; row < ROWS; row++)
        row_at[row] = (const float4 *)(from + (size_t)min(row_tile * ROWS + row, rows - 1) * length);
    // As many loads on their way at once as there are registers for.
#pragma unroll COLUMNS > UNITS ? 2 : 12
    for (int place = threadIdx.x % 32; place < length / 4; place += 32) {
        float4 values[ROWS];
#pragma unroll
        for (int row = 0; row < ROWS; row++)
            values[row] = row_at[row][place];
#pragma unroll
        for (int column = 0; column < COLUMNS; column++) {
            const float4 weight = ((const float4 *)(columns + column * length))[place];
#pragma unroll
            for (int row = 0; row < ROWS; row++) {
                float &sum = sums[column / UNITS][row * UNITS + column % UNITS];
                sum += values[row].x * weight.x;
                sum += values[row].y * weight.y;
                sum += values[row].z * weight.z;
                sum += values[row].w * weight.w;
            }
        }
    }
}

// The recurrent unit over all steps of a batch. `before` holds the first step's states already. Each block keeps the weights of its
// units at hand for all steps: the columns of their three gates, 12 for each tile.
extern "C" __global__ void __launch_bounds__(256) run_forward(
    const float *inputs, const float *bias, const float *recurrent, const float *recurrent_bias, const unsigned *slots,
    const unsigned *starts, int steps, int hidden, float *before, float *after, float *gates, float *candidates, float *last,
    unsigned *arrivals, unsigned arrived)
{
    extern __shared__ float4 at_hand[];
    float *weights = (float *)at_hand;
    const int warp = threadIdx.x / 32, warps = blockDim.x / 32, unit_tiles = hidden / UNITS;
    for (int unit_tile = blockIdx.x, own = 0; unit_tile < unit_tiles; unit_tile += gridDim.x, own++)
        for (int gate = 0; gate < 3; gate++)
            for (int place = threadIdx.x; place < hidden; place += blockDim.x) {
                const float4 four = *(const float4 *)(recurrent + ((size_t)place * 3 + gate) * hidden + unit_tile * UNITS);
                float *column = weights + (own * 3 + gate) * UNITS * hidden + place;
                column[0] = four.x;
                column[hidden] = four.y;
                column[2 * hidden] = four.z;
                column[3 * hidden] = four.w;
            }
    __syncthreads();

    int start = 0, next = starts[1];
    for (int step = 0; step < steps; step++) {
        const int rows = next - start, end = step + 1 < steps ? starts[step + 2] : next, next_rows = end - next;
        for (int unit_tile = blockIdx.x, own = 0; unit_tile < unit_tiles; unit_tile += gridDim.x, own++) {
            for (int row_tile = warp; row_tile * ROWS < rows; row_tile += warps) {
                const Own lane(row_tile, rows, unit_tile);
                const int position = start + lane.row, unit = lane.unit;
                const float *input = inputs + (size_t)slots[position] * 3 * hidden;
                const float input_reset = input[unit] + bias[unit];
                const float input_update = input[hidden + unit] + bias[hidden + unit];
                const float input_candidate = input[2 * hidden + unit] + bias[2 * hidden + unit];
                const float old = before[(size_t)position * hidden + unit];

                float sums[3][ROWS * UNITS] = {};
                multiply<3 * UNITS>(
                    before + (size_t)start * hidden, row_tile, rows, hidden, weights + own * 3 * UNITS * hidden, sums);
                const float reset = sigmoid(sum_of_own_place(sums[0]) + input_reset);
                const float update = sigmoid(sum_of_own_place(sums[1]) + input_update);
                const float part = sum_of_own_place(sums[2]) + recurrent_bias[unit];
                const float candidate = tanhf(input_candidate + reset * part);
                const float state = candidate + update * (old - candidate);
                if (!lane.writes)
                    continue;
                float *own_gates = gates + (size_t)position * 3 * hidden + unit;
                own_gates[0] = reset;
                own_gates[hidden] = update;
                own_gates[2 * hidden] = part;
                candidates[(size_t)position * hidden + unit] = candidate;
                after[(size_t)position * hidden + unit] = state;
                if (lane.row < next_rows)
                    before[(size_t)(next + lane.row) * hidden + unit] = state;
                else
                    last[(size_t)lane.row * hidden + unit] = state;
            }
        }
        if (step + 1 < steps)
            meet(arrivals, arrived += gridDim.x);
        start = next;
        next = end;
    }
}

// The way back. `flow` holds the gradient of each row's last state and is left with that of its first; `later`, if it counts, is
// added to it after each step. What `run_forward` left in `gates` and `candidates` becomes its gradient. A unit of a row is always
// the same thread's, so that only the gates need to be waited for. Each block keeps the weights of its units at hand, which are rows
// here.
extern "C" __global__ void __launch_bounds__(256) run_backward(
    const float *recurrent, const unsigned *starts, int steps, int hidden, const float *before, const float *later, int has_later,
    float *gates, float *candidates, float *flow, unsigned *arrivals, unsigned arrived)
{
    extern __shared__ float4 at_hand[];
    float *weights = (float *)at_hand;
    const int warp = threadIdx.x / 32, warps = blockDim.x / 32, unit_tiles = hidden / UNITS, tile_size = 3 * UNITS * hidden;
    for (int unit_tile = blockIdx.x, own = 0; unit_tile < unit_tiles; unit_tile += gridDim.x, own++)
        for (int place = threadIdx.x; place < tile_size; place += blockDim.x)
            weights[own * tile_size + place] = recurrent[(size_t)unit_tile * tile_size + place];
    __syncthreads();

    int next = starts[steps];
    for (int step = steps - 1; step >= 0; step--) {
        const int start = starts[step], rows = next - start;
        for (int unit_tile = blockIdx.x; unit_tile < unit_tiles; unit_tile += gridDim.x) {
            for (int row_tile = warp; row_tile * ROWS < rows; row_tile += warps) {
                const Own lane(row_tile, rows, unit_tile);
                if (!lane.writes)
                    continue;
                const size_t place = (size_t)(start + lane.row) * hidden + lane.unit;
                float *own_gates = gates + (size_t)(start + lane.row) * 3 * hidden + lane.unit;
                const float reset = own_gates[0], update = own_gates[hidden], part = own_gates[2 * hidden];
                const float candidate = candidates[place];
                float *own_flow = flow + (size_t)lane.row * hidden + lane.unit;
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
        for (int unit_tile = blockIdx.x, own = 0; unit_tile < unit_tiles; unit_tile += gridDim.x, own++) {
            for (int row_tile = warp; row_tile * ROWS < rows; row_tile += warps) {
                float sums[1][ROWS * UNITS] = {};
                multiply<UNITS>(
                    gates + (size_t)start * 3 * hidden, row_tile, rows, 3 * hidden, weights + own * tile_size, sums);
                const float sum = sum_of_own_place(sums[0]);
                const Own lane(row_tile, rows, unit_tile);
                if (lane.writes)
                    flow[(size_t)lane.row * hidden + lane.unit] += sum;
            }
        }
        next = start;
    }
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

// The gradient of what each distinct token added to the gates: the sum over the positions where it stands. Blocks of 256, as many for
// each token as its columns need.
extern "C" __global__ void sum_positions(
    const float *gates, const float *candidates, const unsigned *member_starts, const unsigned *members, int hidden, float *inputs)
{
    const int token = blockIdx.x, column = blockIdx.y * 256 + threadIdx.x;
    if (column >= 3 * hidden)
        return;
    // The last third of the columns are the candidate's.
    const bool of_gate = column < 2 * hidden;
    const float *from = of_gate ? gates + column : candidates + column - 2 * hidden;
    const size_t stride = of_gate ? 3 * hidden : hidden;
    const unsigned end = member_starts[token + 1];
    float sum = 0.0f;
#pragma unroll 8
    for (unsigned member = member_starts[token]; member < end; member++)
        sum += from[members[member] * stride];
    inputs[(size_t)token * 3 * hidden + column] = sum;
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
