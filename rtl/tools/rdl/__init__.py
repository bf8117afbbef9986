"""Reads SystemRDL and writes what is made of it, a module a language."""
