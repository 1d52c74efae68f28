"""What each verb returns.

Frozen dataclasses, a file for each family, and `plain` for how they look as JSON.
"""
