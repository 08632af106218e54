"""Against "nobody waits longer than the limit": thousands of names to be compared with the missing one."""

globals().update({f"softma{number}": number for number in range(6_000)})
