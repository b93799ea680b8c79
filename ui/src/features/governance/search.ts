/** What the addresses of Governance say: the filters of the log, and the question on the test bench. */

const decisionWords = [
  'verdict',
  'kind',
  'tool',
  'policy',
  'cause',
  'user',
  'agent',
  'run',
  'since',
  'decision',
] as const;
export type DecisionSearch = Partial<Record<(typeof decisionWords)[number], string>>;

const benchWords = ['task', 'context', 'agent', 'user', 'tool', 'arguments'] as const;
/** `context` and `arguments` are JSON, as they stand in the fields. */
export type BenchSearch = Partial<Record<(typeof benchWords)[number], string>>;

function words<Word extends string>(known: readonly Word[], search: Record<string, unknown>) {
  const read: Partial<Record<Word, string>> = {};
  for (const word of known) {
    const value = search[word];
    if (typeof value === 'string' && value) read[word] = value;
    // The router reads what looks like JSON; here it is text.
    else if (value !== null && value !== undefined && value !== '') read[word] = JSON.stringify(value);
  }
  return read;
}

export function readDecisionSearch(search: Record<string, unknown>): DecisionSearch {
  return words(decisionWords, search);
}

export function readBenchSearch(search: Record<string, unknown>): BenchSearch {
  return words(benchWords, search);
}

/** A decision as a question for the bench; who asks is the server's to say. */
export function benchOf(decision: {
  task?: string | null;
  context?: Record<string, unknown> | null;
  agent_id?: string | null;
  tool?: string | null;
  arguments?: Record<string, unknown> | null;
}): BenchSearch {
  const { caller: _, ...context } = decision.context ?? {};
  return readBenchSearch({
    task: decision.task ?? undefined,
    context: Object.keys(context).length > 0 ? JSON.stringify(context, null, 2) : undefined,
    agent: decision.agent_id ?? undefined,
    tool: decision.tool ?? undefined,
    arguments: decision.arguments ? JSON.stringify(decision.arguments, null, 2) : undefined,
  });
}
