/** A tool call with what came of it; unfolded where it is recent. */
import { ActionIcon, Badge, Box, Button, Collapse, Group, Text, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconBolt,
  IconChevronDown,
  IconChevronRight,
  IconDeviceFloppy,
  IconPencil,
  IconSearch,
  IconTerminal2,
  IconTool,
} from '@tabler/icons-react';
import { CodeEditor } from '@/components/code';
import { Ago } from '@/components/time';
import { Answer, Block, Problem, Words } from './Answer';
import { ArtifactCard } from './Artifact';
import { writtenAs } from './commands';
import classes from './sessions.module.css';
import { type CallData, type CallTurn, INTERPRETER, titleOf } from './turns';

const icons: Record<string, typeof IconTool> = {
  execute: IconTerminal2,
  search_skills: IconSearch,
  use_skill: IconBolt,
  register_skill: IconDeviceFloppy,
};

type CardProps = {
  turn: CallTurn;
  unfolded: boolean;
  agent: string | undefined;
  /** Puts a text into the composer; none where nobody can write. */
  write?: (text: string) => void;
  save?: (code: string) => void;
};

export function ToolCard({ turn, unfolded, agent, write, save }: CardProps) {
  const [open, { toggle }] = useDisclosure(unfolded);
  const { call, result, answer } = turn;
  const entry = call ?? result;
  if (!entry) return null;
  const tool = entry.tool ?? 'tool';
  const data = (call?.data ?? {}) as CallData;
  const own = tool === INTERPRETER;
  const title = titleOf(turn);
  const Mark = (own && icons[data.operation ?? 'execute']) || IconTool;
  // The code of a saved skill is on its card.
  const code = own && (data.operation ?? 'execute') === 'execute' ? data.code || call?.text : '';
  const error = (result?.data as { error?: { code: string; line?: number | null } } | null)?.error;
  return (
    <Box component="section" aria-label={title} className={classes.made}>
      <Box className={classes.tool}>
        <Group gap="xs" wrap="nowrap" className={classes.toolHead}>
          <ActionIcon
            size="sm"
            aria-label={open ? `Fold ${title}` : `Unfold ${title}`}
            aria-expanded={open}
            onClick={toggle}
          >
            {open ? <IconChevronDown size={16} /> : <IconChevronRight size={16} />}
          </ActionIcon>
          <Mark size={16} aria-hidden />
          <Text size="sm" fw={570} className={classes.cut}>
            {title}
          </Text>
          {result?.failed && (
            <Badge color="red" flex="none">
              failed
            </Badge>
          )}
          {call && !result && (
            <Badge color="gray" flex="none">
              no result
            </Badge>
          )}
          <Ago at={entry.at} size="xs" c="dimmed" ml="auto" className={classes.fixed} />
        </Group>
        <Collapse expanded={open}>
          {open && (
            <div className={classes.toolBody}>
              {code ? (
                <CodeEditor value={code} language="python" readOnly label="Code" maxHeight="20rem" />
              ) : (
                call && !own && <Given call={call} />
              )}
              {own && data.skill_parameters && (
                <Block label="Values">{JSON.stringify(data.skill_parameters, null, 2)}</Block>
              )}
              {answer && write ? (
                <Answer answer={answer} agent={agent} write={write} />
              ) : (
                result &&
                (error ? (
                  <Problem
                    code={error.code}
                    message={result.text.replace(/^It failed: /, '')}
                    line={error.line}
                  />
                ) : own ? (
                  <Words text={result.text} />
                ) : (
                  <Block label="Result">
                    {[result.text, result.data ? JSON.stringify(result.data, null, 2) : '']
                      .filter(Boolean)
                      .join('\n')}
                  </Block>
                ))
              )}
              {own && write && call && (
                <Group gap="xs">
                  <Tooltip label="Put it into the box below">
                    <Button
                      size="compact-xs"
                      variant="subtle"
                      leftSection={<IconPencil size={14} />}
                      onClick={() => write(writtenAs(call))}
                    >
                      Edit and send again
                    </Button>
                  </Tooltip>
                  {save && code && !result?.failed && (
                    <Button
                      size="compact-xs"
                      variant="subtle"
                      leftSection={<IconDeviceFloppy size={14} />}
                      onClick={() => save(code)}
                    >
                      Save as a skill
                    </Button>
                  )}
                </Group>
              )}
            </div>
          )}
        </Collapse>
      </Box>
      {turn.artifacts.map((artifact) => (
        <ArtifactCard key={artifact.id} artifact={artifact} />
      ))}
    </Box>
  );
}

function Given({ call }: { call: { text: string; data?: unknown } }) {
  const text = [call.text, call.data ? JSON.stringify(call.data, null, 2) : ''].filter(Boolean).join('\n');
  return text ? <Block label="Arguments">{text}</Block> : null;
}
