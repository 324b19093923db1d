#pragma once

namespace feedtune {

/// From now on INT, TERM and HUP ask for a stop; a second one ends the process at once (the trial's child ends with it).
/// One that was ignored when the process began stays so (nohup).
void watch_signals();

/// The signal that asked for a stop, or 0.
int stop_signal();

}  // namespace feedtune
