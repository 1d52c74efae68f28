"""One running device: owns the replica and opens its doors."""
