"""What every other part uses: dtypes and vector types, enums, numbers with names, exceptions."""
