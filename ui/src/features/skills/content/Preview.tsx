/** A Markdown file as it reads: what its frontmatter says, then its text. */
import { Card, Group, Text } from '@mantine/core';
import { useDeferredValue, useMemo } from 'react';
import { parse } from 'yaml';
import { Markdown } from '@/components/code';
import classes from './content.module.css';

export function Preview({ text }: { text: string }) {
  const shown = useDeferredValue(text);
  const { fields, body } = useMemo(() => split(shown), [shown]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={classes.preview} aria-label="Preview" tabIndex={0}>
      {fields.length > 0 && (
        <Card withBorder padding="sm" mb="md" bg="var(--repertoire-side)">
          {fields.map(([name, value]) => (
            <Group key={name} gap="sm" wrap="nowrap" align="baseline">
              <Text size="xs" c="dimmed" w={84} flex="0 0 auto" truncate>
                {name}
              </Text>
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                {value}
              </Text>
            </Group>
          ))}
        </Card>
      )}
      <Markdown>{body}</Markdown>
    </section>
  );
}

function split(text: string): { fields: [string, string][]; body: string } {
  const found = text.match(/^\ufeff?---[ \t]*\n([\s\S]*?)\n---[ \t]*(?:\n|$)/);
  if (!found) return { fields: [], body: text };
  const body = text.slice(found[0].length);
  try {
    const read: unknown = parse(found[1] ?? '');
    if (typeof read !== 'object' || read === null) return { fields: [], body };
    const fields = Object.entries(read).map(([name, value]): [string, string] => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]);
    return { fields, body };
  } catch {
    // The findings say what is wrong with it.
    return { fields: [], body };
  }
}
