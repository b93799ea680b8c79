/** The test bench: a task, a context and a tool call, and what would be decided. Nothing of it is kept. */
import { Button, Grid, Group, JsonInput, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconFlask, IconLink } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { api, call, type Schemas } from '@/api/client';
import { told } from '@/components/feedback';
import { readObject } from '@/components/json';
import { Empty, Failure, ListSkeleton } from '@/components/page';
import { AgentPicker, UserPicker } from '@/components/pickers';
import { useStanding } from '@/components/standing';
import { Explained } from './Explained';
import { examples } from './examples';
import { type BenchSearch, readBenchSearch } from './search';

/** The question of an address, or null where none is asked or it cannot be read. */
function questionOf(search: BenchSearch): Schemas['ExplainRequest'] | null {
  const context = readObject(search.context ?? '');
  const given = readObject(search.arguments ?? '');
  if (Object.keys(search).length === 0 || 'problem' in context || 'problem' in given) return null;
  if (!search.task && !search.tool && !search.context) return null;
  return {
    task: search.task ?? '',
    context: context.value as Record<string, never>,
    agent: search.agent ?? null,
    user: search.user ?? null,
    tool: search.tool ?? null,
    ...(search.tool ? { arguments: given.value as Record<string, never> } : {}),
  };
}

export default function BenchTab() {
  const search = useSearch({ from: '/shell/governance/bench' });
  const navigate = useNavigate();
  const { admin, policyAdmin } = useStanding();
  const [fields, setFields] = useState<BenchSearch>(search);
  useEffect(() => setFields(search), [search]);
  const question = questionOf(search);
  const answer = useQuery({
    // What holds changes with the skills that hold it.
    queryKey: ['skills', 'explain', question],
    queryFn: () => call(api.POST('/api/v1/governance/explain', { body: question ?? {} })),
    enabled: question !== null,
    placeholderData: keepPreviousData,
  });

  const put = (part: BenchSearch) => setFields({ ...fields, ...part });
  const wrong = [fields.context, fields.arguments].some((text) => 'problem' in readObject(text ?? ''));
  const ask = (what: BenchSearch = fields) => {
    if (wrong && what === fields) return;
    void navigate({ to: '/governance/bench', search: readBenchSearch(what) });
    void answer.refetch();
  };
  useHotkeys([['mod+Enter', () => ask()]], [], true);

  return (
    <Grid gap="xl">
      <Grid.Col span={{ base: 12, md: 5 }}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            ask();
          }}
        >
          <Stack gap="sm">
            <div>
              <Text size="sm" fw={500} mb={6}>
                Begin with an example
              </Text>
              <Group gap={6}>
                {examples.map(({ label, ask: example }) => (
                  <Button
                    key={label}
                    size="compact-sm"
                    onClick={() => ask({ ...example, agent: fields.agent, user: fields.user })}
                  >
                    {label}
                  </Button>
                ))}
              </Group>
            </div>
            <Textarea
              label="Task"
              description="What the agent is to do, as it was asked"
              autosize
              minRows={2}
              maxRows={8}
              value={fields.task ?? ''}
              onChange={(event) => put({ task: event.currentTarget.value })}
            />
            <Group grow align="flex-end">
              <AgentPicker
                label="Agent"
                placeholder="Without an agent"
                value={fields.agent ?? null}
                onChange={(agent) => put({ agent: agent ?? undefined })}
              />
              {(admin || policyAdmin) && (
                <UserPicker
                  label="For"
                  placeholder="Yourself"
                  value={fields.user ?? null}
                  onChange={(user) => put({ user: user ?? undefined })}
                />
              )}
            </Group>
            <JsonField
              label="Context"
              description="What the agent knows beside it, as JSON"
              placeholder='{"environment": "production"}'
              value={fields.context ?? ''}
              onChange={(context) => put({ context })}
            />
            <TextInput
              label="Tool"
              description="Left empty, only the task is looked at"
              placeholder="Bash"
              value={fields.tool ?? ''}
              onChange={(event) => put({ tool: event.currentTarget.value })}
            />
            <JsonField
              label="Arguments"
              description="Of the call, as JSON"
              placeholder='{"command": "ls"}'
              value={fields.arguments ?? ''}
              onChange={(text) => put({ arguments: text })}
            />
            <Group>
              <Button type="submit" variant="filled" leftSection={<IconFlask size={16} />} disabled={wrong}>
                Ask
              </Button>
              {question && (
                <Button
                  leftSection={<IconLink size={16} />}
                  onClick={() =>
                    void navigator.clipboard
                      .writeText(window.location.href)
                      .then(() => told('The address of this question is copied'))
                  }
                >
                  Copy link
                </Button>
              )}
            </Group>
          </Stack>
        </form>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 7 }}>
        {question === null ? (
          <Empty icon={IconFlask} title="Ask what would be decided">
            Say what an agent is to do and which tool it wants to call. You are told the verdict, every reason
            in order, and what the active policies demand. Nothing of it is kept or counted.
          </Empty>
        ) : answer.error ? (
          <Failure error={answer.error} retry={() => void answer.refetch()} />
        ) : answer.data ? (
          <Explained answer={answer.data} />
        ) : (
          <ListSkeleton rows={4} height={90} />
        )}
      </Grid.Col>
    </Grid>
  );
}

type JsonFieldProps = {
  label: string;
  description: string;
  placeholder: string;
  value: string;
  onChange: (text: string) => void;
};

function JsonField(props: JsonFieldProps) {
  const read = readObject(props.value);
  return (
    <JsonInput {...props} autosize minRows={2} maxRows={10} error={'problem' in read ? read.problem : null} />
  );
}
