/** All procedural-memory settings of an agent. */
import { Alert, Divider, Group, Slider, Stack, Switch, Text } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import type { Memory } from '@/api/memory';
import { AmountInput } from '@/components/AmountInput';
import { OneOf } from '@/components/choices';
import type { TabProps } from './AgentEditor';
import { thresholdMeaning } from './draft';
import { approvers, proposalModes } from './words';

export function MemoryTab({ draft, change, locked }: TabProps) {
  const { memory } = draft;
  const set = (part: Partial<Memory>) => change({ memory: { ...memory, ...part } });
  const off = locked || !memory.enabled;
  const toggle = (name: keyof Memory & `${string}`, label: string, about: string, disabled = off) => (
    <Switch
      label={label}
      description={about}
      disabled={disabled}
      checked={memory[name] === true}
      onChange={(event) => set({ [name]: event.currentTarget.checked })}
    />
  );
  return (
    <Stack gap="lg" maw="44rem">
      {toggle(
        'enabled',
        'Procedural memory',
        'The master switch: the agent finds, uses and saves skills.',
        locked,
      )}
      {!memory.enabled && (
        <Alert icon={<IconInfoCircle size={18} />} color="gray" py="xs">
          While it is off, nothing about skills appears: the agent executes code, is told of no skill, and no
          card about skills shows in its conversations. The settings below are kept for when it is on again.
        </Alert>
      )}
      <Divider />
      {toggle(
        'prefer_skills',
        'Search before writing code',
        'Skills are looked for first, code is written second.',
      )}
      <Threshold
        value={memory.skill_search_threshold}
        disabled={off}
        onChange={(value) => set({ skill_search_threshold: value })}
      />
      <Divider />
      {toggle(
        'auto_register_skills',
        'Save working code as a skill',
        'Code that worked and can be used again becomes a skill without being asked for.',
      )}
      {toggle(
        'require_skill_approval',
        'Ask for approval',
        'A saved skill waits in the review queue before it can be used.',
      )}
      <OneOf
        label="Who may approve"
        choices={approvers}
        value={memory.approver}
        disabled={off}
        onChange={(approver) => set({ approver })}
      />
      <AmountInput
        label="Most skills a person may have on this agent"
        description="Beyond it, saving is refused; 0 is no limit"
        maw="22rem"
        disabled={off}
        value={memory.max_skills_per_user}
        onChange={(value) => set({ max_skills_per_user: value ?? 0 })}
      />
      <Divider />
      <OneOf
        label="When it proposes skills"
        choices={proposalModes}
        value={memory.proposal_mode}
        disabled={off}
        onChange={(proposal_mode) => set({ proposal_mode })}
      />
    </Stack>
  );
}

function Threshold({
  value,
  disabled,
  onChange,
}: {
  value: number;
  disabled: boolean;
  onChange: (value: number) => void;
}) {
  const label = 'Similarity from which a found skill is used';
  return (
    <div>
      <Group justify="space-between" align="baseline" mb={2}>
        <Text size="sm" fw={500}>
          {label}
        </Text>
        <Text size="sm" fw={600} ff="monospace">
          {value.toFixed(2)}
        </Text>
      </Group>
      <Text size="xs" c="dimmed" mb="sm">
        About the probability that a skill serves the request. {thresholdMeaning(value)}
      </Text>
      <Slider
        min={0}
        max={1}
        step={0.01}
        label={null}
        styles={{ markLabel: { color: 'var(--mantine-color-dimmed)' } }}
        value={value}
        disabled={disabled}
        onChange={onChange}
        thumbLabel={label}
        marks={[
          { value: 0, label: '0' },
          { value: 0.5, label: '0.5' },
          { value: 0.8, label: '0.8' },
          { value: 1, label: '1' },
        ]}
        mb="lg"
      />
    </div>
  );
}
