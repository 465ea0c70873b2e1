"""Tests of Reality TCG."""
