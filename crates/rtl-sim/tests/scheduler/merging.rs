//! Requests that go together.
