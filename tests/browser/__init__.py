"""Tests in a real browser, Debian's Chromium."""
