/** What the choices of an agent mean, as people read them. */

export const discoveryModes = [
  {
    value: 'auto',
    label: 'Auto',
    about:
      'Lists every skill while the list fits the token budget; beyond it, the best few and a search tool.',
  },
  { value: 'list', label: 'List', about: 'Lists the skills, as many as the token budget holds.' },
  {
    value: 'hybrid',
    label: 'Hybrid',
    about: 'Lists the best few for the request, and offers a search tool for the rest.',
  },
  {
    value: 'search',
    label: 'Search',
    about: 'Lists none. The agent searches when it needs a skill: the smallest prompt.',
  },
] as const;

export const toolsets = [
  {
    value: 'interpreter',
    label: 'Interpreter',
    about: 'One tool that executes code, and finds, uses and saves skills. The cheapest.',
  },
  {
    value: 'memory',
    label: 'Memory',
    about: 'The same as separate tools, with a list of tasks. Suits models that import functions.',
  },
  { value: 'library', label: 'Library', about: 'Writing, reading and switching skills.' },
  { value: 'learning', label: 'Learning', about: 'Proposing skills, and saying whether one helped.' },
] as const;

export const approvers = [
  { value: 'owner', label: 'Owner', about: 'The person the agent acted for.' },
  { value: 'admin', label: 'Admin', about: 'An admin or a reviewer.' },
  { value: 'two_person', label: 'Two people', about: 'An admin or a reviewer who is not the author.' },
] as const;

export const proposalModes = [
  {
    value: 'proactive',
    label: 'Proactive',
    about: 'The agent proposes a skill whenever it sees a procedure worth keeping.',
  },
  { value: 'on_request', label: 'On request', about: 'The agent proposes a skill only when it is asked to.' },
  { value: 'off', label: 'Off', about: 'The agent never proposes skills.' },
] as const;
