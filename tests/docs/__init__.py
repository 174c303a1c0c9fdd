"""The pages say what is so: their code runs, and what they show is what comes out."""
