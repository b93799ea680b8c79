//! The reference validator of the Agent Skills standard, reproduced to the letter.
