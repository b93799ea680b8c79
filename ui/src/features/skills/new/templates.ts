/** Instructions to start from. */
export const templates: readonly { label: string; text: string }[] = [
  {
    label: 'How something is done',
    text: `# What this is for

One sentence: which task, for whom.

## Before you start

- What must be at hand: files, access, numbers.

## Steps

1. First …
2. Then …
3. Check that …

## What good looks like

- The result has …
- Never …
`,
  },
  {
    label: 'Checklist',
    text: `# Checklist

Go through all points in order. Stop at the first that fails and say which one it was.

- [ ] …
- [ ] …
- [ ] …

## When a point fails

Say what is missing and who can fix it.
`,
  },
  {
    label: 'Report',
    text: `# Report

## Input

- Which period, which source.

## Structure

1. **Summary**: three sentences, the most important number first.
2. **Numbers**: a table with this period, the last one, and the difference.
3. **What stands out**: at most three points, each with its cause.
4. **Next steps**: who does what until when.

## Style

Plain words, no adjectives without a number behind them.
`,
  },
  {
    label: 'Review',
    text: `# Review

Read everything once before you comment.

## What to look at

1. Is it correct? Try the edge cases.
2. Is it clear? Somebody new must understand it.
3. Is anything missing: tests, documents, a way back?

## How to say it

- One comment for one thing, with a proposal.
- Say what blocks and what is taste.
`,
  },
];
