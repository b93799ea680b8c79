/** Policies to begin with. */

export const templates = [
  {
    label: 'Keep away from harm',
    about: 'Forbids removing files and reading secrets, whatever the task.',
    text: `policy:
  scope: security
  priority: 100
  activation:
    always: true
  forbidden_tools:
    - Bash(rm:*)
    - Read(.env)
`,
  },
  {
    label: 'Only look',
    about: 'While a task speaks of production, only tools that read are allowed.',
    text: `policy:
  activation:
    keywords: [production]
  allowed_tools: [Read, Grep, Glob]
`,
  },
  {
    label: 'Set a budget',
    about: 'A run ends after so many steps or so much time.',
    text: `policy:
  activation:
    always: true
  max_steps: 200
  max_execution_time: 2h
`,
  },
] as const;
