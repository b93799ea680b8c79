import { expect, test } from 'vitest';
import { readPython } from './python';

test('a function tells its parameters, their types and defaults, and what it is for', () => {
  const code = `import math

def _helper(x): return x

def compound_interest(
    principal: float,  # in euros
    rate: float = 0.05,
    years: int = 10,
    tags: list[str] = ["a", "b"],
    note="x, y",
    *args, **kwargs
) -> dict:
    """Computes compound interest.

    More words.
    """
    return {}
`;
  const read = readPython(code);
  expect(read?.function).toBe('compound_interest');
  expect(read?.description).toBe('Computes compound interest.');
  expect(read?.parameters).toEqual([
    { name: 'principal', type: 'number', required: true, description: '' },
    { name: 'rate', type: 'number', required: false, description: '', default: 0.05 },
    { name: 'years', type: 'integer', required: false, description: '', default: 10 },
    { name: 'tags', type: 'array', required: false, description: '', default: ['a', 'b'] },
    { name: 'note', type: 'string', required: false, description: '', default: 'x, y' },
  ]);
});

test('a script without a function, and one that is not finished, tell nothing', () => {
  expect(readPython('print(1)')).toBeNull();
  expect(readPython('def f(a')).toBeNull();
});

test('a default that is no JSON makes a parameter that need not be given', () => {
  expect(readPython('def f(day=date.today(), x: int | None = None): ...')?.parameters).toEqual([
    { name: 'day', type: 'any', required: false, description: '' },
    { name: 'x', type: 'integer', required: false, description: '' },
  ]);
});
