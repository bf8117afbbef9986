//! Tables that other libraries read where they are, by Arrow's C interface.
//!
//! The columns are the vectors that a run has filled. Readers get pointers to them, and keep them alive for as long as they
//! need them (<https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html>).

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, Int64Type, UInt16Type, UInt32Type, UInt64Type, UInt8Type};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{DataType, Field, Schema};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};

/// Names that Arrow gives its capsules.
const STREAM: &std::ffi::CStr = c"arrow_array_stream";
const SCHEMA: &std::ffi::CStr = c"arrow_schema";

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
        let column = self.0.column_by_name(name);
        let column = column.ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        PyList::new(py, values(py, column)?)
    }
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
