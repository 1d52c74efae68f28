"""What people type and what they are shown: times, ids, fields, filters, memories."""
