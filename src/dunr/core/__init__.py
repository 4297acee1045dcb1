"""The functional core: values in, values out.

Everything that decides about money, access or words to a customer is in this package. Nothing here performs I/O, reads a clock
or draws a random number; time, facts and policy are arguments. `decide` is the only door for changes, `reconcile` the only
reader of the processor's own account of an invoice.
"""
