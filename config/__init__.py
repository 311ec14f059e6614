import gc

# By default Python looks for garbage after every 700 objects, and a start makes a million that stay.
gc.set_threshold(10_000)
