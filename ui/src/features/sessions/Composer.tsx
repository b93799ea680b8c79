/** Where a person writes code and commands; it works without any model. */
import {
  ActionIcon,
  Box,
  Group,
  Kbd,
  SegmentedControl,
  Text,
  Textarea,
  Tooltip,
  UnstyledButton,
} from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { IconSend2 } from '@tabler/icons-react';
import { type KeyboardEvent, type Ref, useEffect, useId, useImperativeHandle, useRef, useState } from 'react';
import { commands } from './commands';
import classes from './composer.module.css';
import shared from './sessions.module.css';
import { isTyped, useSuggestions } from './suggestions';

export type ComposerHandle = { write: (text: string) => void };

type ComposerProps = {
  handle: Ref<ComposerHandle>;
  /** Keeps what is typed apart for each conversation. */
  id: string;
  agent: string | undefined;
  busy: boolean;
  /** What was written before, the last one last. */
  before: string[];
  /** Sends it; false keeps the text in the box. */
  onSend: (text: string) => Promise<boolean> | boolean;
  help: boolean;
  problem: string;
};

const draftKey = (id: string) => `repertoire-draft-${id}`;

export function Composer({ handle, id, agent, busy, before, onSend, help, problem }: ComposerProps) {
  const [text, setText] = useState(() => sessionStorage.getItem(draftKey(id)) ?? '');
  const [chosen, setChosen] = useState(0);
  const [closed, setClosed] = useState(false);
  const back = useRef(0);
  const box = useRef<HTMLTextAreaElement>(null);
  const listId = useId();
  // The box measures itself when it is drawn: another width draws it again.
  const { ref: frame } = useElementSize<HTMLDivElement>();
  const { offered, takes } = useSuggestions(text, agent);
  const open = offered.length > 0 && !closed;

  const change = (value: string) => {
    setText(value);
    setChosen(0);
    setClosed(false);
  };
  useEffect(() => {
    if (text) sessionStorage.setItem(draftKey(id), text);
    else sessionStorage.removeItem(draftKey(id));
  }, [id, text]);
  useImperativeHandle(handle, () => ({
    write: (value) => {
      change(value);
      box.current?.focus();
    },
  }));

  const send = async () => {
    if (!text.trim() || busy) return;
    const written = text;
    change('');
    back.current = 0;
    if (!(await onSend(written))) setText((now) => now || written);
  };

  const recall = (step: number) => {
    const at = Math.min(Math.max(back.current + step, 0), before.length);
    back.current = at;
    change(at === 0 ? '' : (before[before.length - at] ?? ''));
    setClosed(true);
  };

  const press = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { value, selectionStart } = event.currentTarget;
    const offer = open ? offered[chosen] : undefined;
    if (open && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setChosen((chosen + step + offered.length) % offered.length);
    } else if (event.key === 'Escape' && open) {
      event.preventDefault();
      setClosed(true);
    } else if (
      offer &&
      !event.shiftKey &&
      (event.key === 'Tab' || event.key === 'Enter') &&
      !isTyped(offer, text)
    ) {
      event.preventDefault();
      change(offer.value);
    } else if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      void send();
    } else if (
      event.key === 'ArrowUp' &&
      !value.slice(0, selectionStart).includes('\n') &&
      canRecall(value)
    ) {
      event.preventDefault();
      recall(1);
    } else if (event.key === 'ArrowDown' && back.current > 0 && !value.slice(selectionStart).includes('\n')) {
      event.preventDefault();
      recall(-1);
    }
  };
  // The arrow leaves what is being written alone.
  const canRecall = (value: string) => value === '' || back.current > 0;

  return (
    <Box className={classes.composer} ref={frame}>
      {help && <Help write={change} />}
      {problem && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert" mb={6}>
          {problem}
        </Text>
      )}
      <Box pos="relative">
        {open && (
          <div className={classes.offers} id={listId} role="listbox" aria-label="Suggestions">
            {offered.map((offer, at) => (
              <div
                key={offer.value}
                tabIndex={-1}
                id={`${listId}-${at}`}
                role="option"
                aria-selected={at === chosen}
                className={classes.offer}
                onMouseDown={(event) => {
                  event.preventDefault();
                  change(offer.value);
                }}
              >
                <Text size="sm" ff="monospace" className={shared.fixed}>
                  {offer.label}
                </Text>
                <Text size="xs" c="dimmed" className={shared.cut}>
                  {offer.about}
                </Text>
              </div>
            ))}
          </div>
        )}
        <Textarea
          ref={box}
          aria-label="Code or command"
          role="combobox"
          aria-expanded={open}
          aria-controls={open ? listId : undefined}
          aria-activedescendant={open ? `${listId}-${chosen}` : undefined}
          aria-autocomplete="list"
          placeholder="Write Python, or / for commands"
          autosize
          minRows={2}
          maxRows={14}
          spellCheck={false}
          value={text}
          onChange={(event) => change(event.currentTarget.value)}
          onKeyDown={press}
          onBlur={() => setClosed(true)}
          onFocus={() => setClosed(false)}
          styles={{
            input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13, paddingRight: 48 },
          }}
        />
        <Tooltip label="Send (Enter)">
          <ActionIcon
            className={classes.send}
            variant="filled"
            color="ink"
            size="lg"
            aria-label="Send"
            disabled={!text.trim() || busy}
            onClick={() => void send()}
          >
            <IconSend2 size={18} />
          </ActionIcon>
        </Tooltip>
      </Box>
      <Group justify="space-between" gap="xs" mt={6}>
        <Text size="xs" c="dimmed" className={shared.grow}>
          {takes || (
            <Text span size="xs" visibleFrom="sm">
              <Kbd size="xs">Enter</Kbd> sends, <Kbd size="xs">Shift</Kbd> <Kbd size="xs">Enter</Kbd> new
              line, <Kbd size="xs">↑</Kbd> what you wrote before
            </Text>
          )}
        </Text>
        <Tooltip
          multiline
          w={280}
          label="Questions in plain language need a connection to a model, and none is set up. Code and commands work without one."
        >
          <SegmentedControl
            size="xs"
            aria-label="What is written"
            value="code"
            data={[
              { value: 'code', label: 'Code' },
              { value: 'ask', label: 'Ask (no model)', disabled: true },
            ]}
          />
        </Tooltip>
      </Group>
    </Box>
  );
}

function Help({ write }: { write: (text: string) => void }) {
  return (
    <Box className={classes.help} component="section" aria-label="Commands">
      {commands.map(({ word, takes, about }) => (
        <UnstyledButton
          key={word}
          className={classes.helpRow}
          onClick={() => write(takes ? `${word} ` : word)}
        >
          <Text size="sm" ff="monospace" span>
            {word} <span className={classes.takes}>{takes}</span>
          </Text>
          <Text size="sm" c="dimmed" span>
            {about}
          </Text>
        </UnstyledButton>
      ))}
    </Box>
  );
}
