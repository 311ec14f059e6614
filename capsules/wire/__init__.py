"""What is authored as it comes in and goes out, for the API, the tools of AI apps, folders and the studio."""
