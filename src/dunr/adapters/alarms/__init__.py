"""What wakes us from outside when a step is due. An alarm is a hint: the timer row decides."""
