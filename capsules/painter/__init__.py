"""The process that draws. It imports nothing of the service, so that it starts in the time that most pictures take."""
