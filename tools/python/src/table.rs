//! Tables that other libraries read where they are, by Arrow's C interface.
//!
//! The columns are the vectors that a run has filled. Readers get pointers to them, and keep them alive for as long as they
//! need them (<https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html>).

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, Int64Type, UInt16Type, UInt32Type, UInt64Type, UInt8Type};
use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, Float64Array, Int64Array, RecordBatch,
    RecordBatchIterator, RecordBatchReader, StringArray, UInt64Array,
};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyCapsule, PyFloat, PyInt, PyList, PyString};

/// Names that Arrow gives its capsules.
const STREAM: &std::ffi::CStr = c"arrow_array_stream";
const SCHEMA: &std::ffi::CStr = c"arrow_schema";
const ARRAY: &std::ffi::CStr = c"arrow_array";

/// A table.
#[derive(Clone)]
#[pyclass(frozen, module = "firmament._native")]
pub struct Table(RecordBatch);

impl Table {
    /// A table of columns of equal length. A column without empty places is declared so.
    pub fn new(columns: Vec<(&str, ArrayRef)>) -> Self {
        let fields = columns.iter().map(|(name, column)| {
            Field::new(*name, column.data_type().clone(), column.null_count() > 0)
        });
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        Table::of(schema, columns.into_iter().map(|(_, column)| column).collect())
    }

    /// A table whose schema says which columns may have empty places.
    pub fn of(schema: Arc<Schema>, columns: Vec<ArrayRef>) -> Self {
        Table(RecordBatch::try_new(schema, columns).expect("columns are of equal length"))
    }
}

#[pymethods]
impl Table {
    /// A table of Python's values. What a column is follows from its values: whole numbers, numbers, texts, or lists of numbers
    /// that are equally long.
    #[staticmethod]
    fn made(columns: Vec<(String, Vec<Bound<'_, PyAny>>)>) -> PyResult<Self> {
        let columns = columns.into_iter();
        let columns: PyResult<Vec<(String, ArrayRef)>> =
            columns.map(|(name, values)| Ok((name, made(&values)?))).collect();
        let columns = columns?;
        let length = columns.first().map_or(0, |(_, column)| column.len());
        if columns.iter().any(|(_, column)| column.len() != length) {
            return Err(PyValueError::new_err("columns of a table are equally long"));
        }
        Ok(Table::new(columns.iter().map(|(name, column)| (&**name, column.clone())).collect()))
    }

    /// A table of the bytes that `stored` gave.
    #[staticmethod]
    fn restored(bytes: &[u8]) -> PyResult<Self> {
        let mut reader = StreamReader::try_new(bytes, None).map_err(refused)?;
        let batch = reader.next().ok_or_else(|| PyValueError::new_err("no table"))?;
        Ok(Table(batch.map_err(refused)?))
    }

    /// The table as a stream of Arrow's, for files and other processes.
    fn stored<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut bytes = Vec::new();
        let write = || -> Result<(), ArrowError> {
            let mut writer = StreamWriter::try_new(&mut bytes, &self.0.schema())?;
            writer.write(&self.0)?;
            writer.finish()
        };
        py.detach(write).map_err(refused)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The first rows.
    fn head(&self, rows: usize) -> Table {
        Table(self.0.slice(0, rows.min(self.0.num_rows())))
    }

    /// A column as capsules of Arrow's: its schema and its values.
    fn column_capsules<'py>(
        &self,
        py: Python<'py>,
        name: &str,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let data = self.named(name)?.to_data();
        let (array, schema) = arrow_array::ffi::to_ffi(&data).map_err(refused)?;
        let schema = PyCapsule::new_with_value(py, schema, SCHEMA)?;
        Ok((schema, PyCapsule::new_with_value(py, array, ARRAY)?))
    }

    /// The bytes of a column of numbers without empty places, and what NumPy calls their type; none for other columns.
    fn numbers<'py>(
        &self,
        py: Python<'py>,
        name: &str,
    ) -> PyResult<Option<(&'static str, Bound<'py, PyBytes>)>> {
        let column = self.named(name)?;
        let (kind, width) = match column.data_type() {
            DataType::UInt8 => ("u1", 1),
            DataType::UInt16 => ("u2", 2),
            DataType::UInt32 => ("u4", 4),
            DataType::UInt64 => ("u8", 8),
            DataType::Int64 => ("i8", 8),
            DataType::Float64 => ("f8", 8),
            _ => return Ok(None),
        };
        if column.null_count() > 0 {
            return Ok(None);
        }
        let data = column.to_data();
        let begin = data.offset() * width;
        let bytes = &data.buffers()[0].as_slice()[begin..begin + data.len() * width];
        Ok(Some((kind, PyBytes::new(py, bytes))))
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A schema is a wish, which a producer may leave alone.
        let _ = requested_schema;
        let schema = self.0.schema();
        let batches = RecordBatchIterator::new([Ok(self.0.clone())], schema);
        let reader: Box<dyn RecordBatchReader + Send> = Box::new(batches);
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), STREAM)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(&*self.0.schema());
        let schema = schema.map_err(|error| PyValueError::new_err(error.to_string()))?;
        PyCapsule::new_with_value(py, schema, SCHEMA)
    }

    #[getter]
    fn rows(&self) -> usize {
        self.0.num_rows()
    }

    #[getter]
    fn names(&self) -> Vec<String> {
        self.0.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// A column as Python's values.
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, values(py, self.named(name)?)?)
    }
}

impl Table {
    fn named(&self, name: &str) -> PyResult<&ArrayRef> {
        self.0.column_by_name(name).ok_or_else(|| PyKeyError::new_err(name.to_owned()))
    }
}

fn refused(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A column of Python's values.
fn made(values: &[Bound<'_, PyAny>]) -> PyResult<ArrayRef> {
    fn all<'py, T>(values: &[Bound<'py, PyAny>]) -> PyResult<Vec<Option<T>>>
    where
        T: for<'a> FromPyObject<'a, 'py, Error = PyErr>,
    {
        values.iter().map(|value| value.extract()).collect()
    }
    let there = || values.iter().filter(|value| !value.is_none());
    let is_whole = |value: &Bound<'_, PyAny>| {
        value.is_instance_of::<PyInt>() || value.is_instance_of::<PyBool>()
    };
    let Some(first) = there().next() else {
        return Ok(Arc::new(Float64Array::from(vec![None; values.len()])));
    };
    if there().all(|value| value.is_instance_of::<PyString>()) {
        return Ok(Arc::new(StringArray::from(all::<String>(values)?)));
    }
    if there().all(is_whole) {
        return Ok(match all::<u64>(values) {
            Ok(whole) => Arc::new(UInt64Array::from(whole)),
            Err(_) => Arc::new(Int64Array::from(all::<i64>(values)?)),
        });
    }
    if there().all(|value| is_whole(value) || value.is_instance_of::<PyFloat>()) {
        return Ok(Arc::new(Float64Array::from(all::<f64>(values)?)));
    }
    let length = first.len()?;
    let mut rows = Vec::with_capacity(values.len() * length);
    for value in values {
        let row: Vec<f64> = value.extract()?;
        if row.len() != length {
            return Err(PyValueError::new_err("lists of a column are equally long"));
        }
        rows.extend(row);
    }
    let item = Arc::new(Field::new("item", DataType::Float64, false));
    Ok(Arc::new(FixedSizeListArray::new(
        item,
        length as i32,
        Arc::new(Float64Array::from(rows)),
        None,
    )))
}

/// The values of a column, `None` in empty places.
fn values<'py>(py: Python<'py>, column: &ArrayRef) -> PyResult<Vec<Bound<'py, PyAny>>> {
    fn all<'py, T: IntoPyObject<'py>>(
        py: Python<'py>,
        values: impl Iterator<Item = Option<T>>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let one = |value: Option<T>| value.into_pyobject(py).map_err(Into::into);
        values.map(one).map(|value| value.map(Bound::into_any)).collect()
    }
    match column.data_type() {
        DataType::UInt8 => all(py, column.as_primitive::<UInt8Type>().iter()),
        DataType::UInt16 => all(py, column.as_primitive::<UInt16Type>().iter()),
        DataType::UInt32 => all(py, column.as_primitive::<UInt32Type>().iter()),
        DataType::UInt64 => all(py, column.as_primitive::<UInt64Type>().iter()),
        DataType::Int64 => all(py, column.as_primitive::<Int64Type>().iter()),
        DataType::Float64 => all(py, column.as_primitive::<Float64Type>().iter()),
        DataType::Boolean => all(py, column.as_boolean().iter()),
        DataType::Utf8 => all(py, column.as_string::<i32>().iter()),
        DataType::Dictionary(..) => {
            let words = column.as_any_dictionary();
            let own = words.values().as_string::<i32>();
            let keys = words.normalized_keys();
            let word = |(row, key): (usize, &usize)| column.is_valid(row).then(|| own.value(*key));
            all(py, keys.iter().enumerate().map(word))
        }
        DataType::FixedSizeList(..) => {
            let lists = column.as_fixed_size_list();
            let one = |list: Option<ArrayRef>| match list {
                None => Ok(py.None().into_bound(py)),
                Some(list) => Ok(PyList::new(py, values(py, &list)?)?.into_any()),
            };
            lists.iter().map(one).collect()
        }
        other => Err(PyValueError::new_err(format!("a column of {other} has no values in Python"))),
    }
}
