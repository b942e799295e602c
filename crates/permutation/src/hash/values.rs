//! From Arrow arrays to the words of the hash, for values that hold no others.

use arrow_array::cast::AsArray;
use arrow_array::types;
use arrow_array::{Array, ArrowPrimitiveType, BooleanArray, PrimitiveArray};
use arrow_buffer::i256;
use arrow_schema::{DataType, IntervalUnit, TimeUnit};

use super::state::{Clock, State};

/// Takes the values of one column into the states of their rows.
pub(super) trait Values {
    /// Takes the value of `row` in.
    fn absorb(&self, row: usize, state: State) -> State;

    /// Takes row `i` into state `i`, for all states.
    fn absorb_all(&self, states: &mut [State]) {
        for (row, state) in states.iter_mut().enumerate() {
            *state = self.absorb(row, *state);
        }
    }
}

/// The values of a column, borrowed from its array.
pub(super) type BoxedValues<'a> = Box<dyn Values + 'a>;

/// An array and what it does with one of its rows that is not null.
struct Leaf<'a, A: ?Sized, F> {
    array: &'a A,
    absorb: F,
}

impl<A: Array + ?Sized, F: Fn(State, usize) -> State> Values for Leaf<'_, A, F> {
    fn absorb(&self, row: usize, state: State) -> State {
        if self.array.is_null(row) { state.null() } else { (self.absorb)(state, row) }
    }
}

fn leaf<'a, A: Array + ?Sized>(array: &'a A, absorb: impl Fn(State, usize) -> State + 'a) -> BoxedValues<'a> {
    Box::new(Leaf { array, absorb })
}

fn primitive<'a, T: ArrowPrimitiveType>(
    array: &'a dyn Array,
    absorb: impl Fn(State, T::Native) -> State + 'a,
) -> BoxedValues<'a> {
    let array: &PrimitiveArray<T> = array.as_primitive();
    leaf(array, move |state, row| absorb(state, array.value(row)))
}

/// The values of an array without children, or `None` for another type.
pub(super) fn leaf_values(array: &dyn Array) -> Option<BoxedValues<'_>> {
    use DataType as T;
    match array.data_type() {
        T::Null => Some(Box::new(AllNull)),
        T::Boolean => {
            let array: &BooleanArray = array.as_boolean();
            Some(leaf(array, |state, row| state.boolean(array.value(row))))
        }
        T::Float16 => {
            Some(primitive::<types::Float16Type>(array, |state, value| state.float(value.to_f64())))
        }
        T::Float32 => Some(primitive::<types::Float32Type>(array, |state, value| state.float(value.into()))),
        T::Float64 => Some(primitive::<types::Float64Type>(array, State::float)),
        _ => integers(array).or_else(|| bytes(array)).or_else(|| decimals(array)).or_else(|| times(array)),
    }
}

/// A column of type Null.
struct AllNull;

impl Values for AllNull {
    fn absorb(&self, _row: usize, state: State) -> State {
        state.null()
    }
}

fn integers(array: &dyn Array) -> Option<BoxedValues<'_>> {
    use DataType as T;
    Some(match array.data_type() {
        T::Int8 => primitive::<types::Int8Type>(array, |state, value| state.signed(value.into())),
        T::Int16 => primitive::<types::Int16Type>(array, |state, value| state.signed(value.into())),
        T::Int32 => primitive::<types::Int32Type>(array, |state, value| state.signed(value.into())),
        T::Int64 => primitive::<types::Int64Type>(array, State::signed),
        T::UInt8 => primitive::<types::UInt8Type>(array, |state, value| state.unsigned(value.into())),
        T::UInt16 => primitive::<types::UInt16Type>(array, |state, value| state.unsigned(value.into())),
        T::UInt32 => primitive::<types::UInt32Type>(array, |state, value| state.unsigned(value.into())),
        T::UInt64 => primitive::<types::UInt64Type>(array, State::unsigned),
        _ => return None,
    })
}

fn bytes(array: &dyn Array) -> Option<BoxedValues<'_>> {
    macro_rules! values {
        ($array:expr, $absorb:ident) => {{
            let array = $array;
            leaf(array, move |state, row| state.$absorb(array.value(row).as_ref()))
        }};
    }
    Some(match array.data_type() {
        DataType::Utf8 => values!(array.as_string::<i32>(), string),
        DataType::LargeUtf8 => values!(array.as_string::<i64>(), string),
        DataType::Utf8View => values!(array.as_string_view(), string),
        DataType::Binary => values!(array.as_binary::<i32>(), binary),
        DataType::LargeBinary => values!(array.as_binary::<i64>(), binary),
        DataType::BinaryView => values!(array.as_binary_view(), binary),
        DataType::FixedSizeBinary(_) => values!(array.as_fixed_size_binary(), binary),
        _ => return None,
    })
}

fn decimals(array: &dyn Array) -> Option<BoxedValues<'_>> {
    fn of<'a, T: ArrowPrimitiveType>(
        array: &'a dyn Array,
        scale: i8,
        widen: impl Fn(T::Native) -> i256 + 'a,
    ) -> BoxedValues<'a> {
        primitive::<T>(array, move |state, value| state.decimal(scale, widen(value)))
    }
    Some(match *array.data_type() {
        DataType::Decimal32(_, scale) => {
            of::<types::Decimal32Type>(array, scale, |value| i256::from_i128(value.into()))
        }
        DataType::Decimal64(_, scale) => {
            of::<types::Decimal64Type>(array, scale, |value| i256::from_i128(value.into()))
        }
        DataType::Decimal128(_, scale) => of::<types::Decimal128Type>(array, scale, i256::from_i128),
        DataType::Decimal256(_, scale) => of::<types::Decimal256Type>(array, scale, |value| value),
        _ => return None,
    })
}

fn times(array: &dyn Array) -> Option<BoxedValues<'_>> {
    use {DataType as T, TimeUnit as U};
    const DAY: i64 = 86_400_000;
    Some(match array.data_type() {
        T::Date32 => primitive::<types::Date32Type>(array, |state, days| state.date(i64::from(days) * DAY)),
        T::Date64 => primitive::<types::Date64Type>(array, State::date),
        T::Time32(U::Second) => clock::<types::Time32SecondType>(array, Clock::Time, U::Second),
        T::Time32(_) => clock::<types::Time32MillisecondType>(array, Clock::Time, U::Millisecond),
        T::Time64(U::Microsecond) => {
            clock::<types::Time64MicrosecondType>(array, Clock::Time, U::Microsecond)
        }
        T::Time64(_) => clock::<types::Time64NanosecondType>(array, Clock::Time, U::Nanosecond),
        T::Timestamp(unit @ U::Second, _) => {
            clock::<types::TimestampSecondType>(array, Clock::Timestamp, *unit)
        }
        T::Timestamp(unit @ U::Millisecond, _) => {
            clock::<types::TimestampMillisecondType>(array, Clock::Timestamp, *unit)
        }
        T::Timestamp(unit @ U::Microsecond, _) => {
            clock::<types::TimestampMicrosecondType>(array, Clock::Timestamp, *unit)
        }
        T::Timestamp(unit @ U::Nanosecond, _) => {
            clock::<types::TimestampNanosecondType>(array, Clock::Timestamp, *unit)
        }
        T::Duration(unit @ U::Second) => clock::<types::DurationSecondType>(array, Clock::Duration, *unit),
        T::Duration(unit @ U::Millisecond) => {
            clock::<types::DurationMillisecondType>(array, Clock::Duration, *unit)
        }
        T::Duration(unit @ U::Microsecond) => {
            clock::<types::DurationMicrosecondType>(array, Clock::Duration, *unit)
        }
        T::Duration(unit @ U::Nanosecond) => {
            clock::<types::DurationNanosecondType>(array, Clock::Duration, *unit)
        }
        T::Interval(IntervalUnit::YearMonth) => {
            primitive::<types::IntervalYearMonthType>(array, |state, months| state.interval(months, 0, 0))
        }
        T::Interval(IntervalUnit::DayTime) => {
            primitive::<types::IntervalDayTimeType>(array, |state, value| {
                state.interval(0, value.days, i64::from(value.milliseconds) * 1_000_000)
            })
        }
        T::Interval(IntervalUnit::MonthDayNano) => {
            primitive::<types::IntervalMonthDayNanoType>(array, |state, value| {
                state.interval(value.months, value.days, value.nanoseconds)
            })
        }
        _ => return None,
    })
}

/// Values of time, all in nanoseconds: the unit of the column is no part of the hash.
fn clock<T: ArrowPrimitiveType<Native: Into<i128>>>(
    array: &dyn Array,
    clock: Clock,
    unit: TimeUnit,
) -> BoxedValues<'_> {
    let nanoseconds: i128 = match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1_000,
        TimeUnit::Nanosecond => 1,
    };
    primitive::<T>(array, move |state, value| state.clock(clock, value.into() * nanoseconds))
}
