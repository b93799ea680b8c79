/** How an agent learns which skills there are, which tools it gets, and what its runs may use. */
import { Divider, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { sandboxQuery } from '@/api/queries';
import { AmountInput } from '@/components/AmountInput';
import { ManyOf, OneOf } from '@/components/choices';
import type { TabProps } from './AgentEditor';
import type { Limits } from './draft';
import { discoveryModes, toolsets } from './words';

export function DiscoveryTab({ draft, change, locked }: TabProps) {
  return (
    <Stack gap="lg" maw="44rem">
      <OneOf
        label="Discovery mode"
        description="What the agent is told about its skills before it begins"
        choices={discoveryModes}
        value={draft.discovery}
        disabled={locked}
        onChange={(discovery) => change({ discovery })}
      />
      <AmountInput
        label="Token budget"
        description="How many tokens the text about skills may take in the agent's context, policies and memory included"
        step={100}
        thousandSeparator=","
        maw="22rem"
        readOnly={locked}
        value={draft.discovery_token_budget}
        error={
          draft.discovery_token_budget < 1 || draft.discovery_token_budget > 1_000_000
            ? 'From 1 to 1,000,000'
            : null
        }
        onChange={(value) => change({ discovery_token_budget: value ?? 0 })}
      />
      <Divider />
      <ManyOf
        label="Toolsets"
        description="The tools it is offered over MCP. With none chosen it gets Interpreter. Interpreter and Memory do the same; take one of them."
        choices={toolsets}
        value={draft.toolsets}
        fixed={() => locked}
        onChange={(chosen) =>
          change({ toolsets: toolsets.map(({ value }) => value).filter((value) => chosen.includes(value)) })
        }
      />
      <Divider />
      <RunLimits
        limits={draft.run_limits}
        locked={locked}
        change={(part) => change({ run_limits: { ...draft.run_limits, ...part } })}
      />
    </Stack>
  );
}

type Field = { name: keyof Limits; label: string; unit: string; per: number };

const MEGA = 1_000_000;
const fields: Field[] = [
  { name: 'wall_ms', label: 'Time', unit: 's', per: 1000 },
  { name: 'cpu_ms', label: 'Processor time', unit: 's', per: 1000 },
  { name: 'memory_bytes', label: 'Memory', unit: 'MB', per: MEGA },
  { name: 'processes', label: 'Processes and threads', unit: '', per: 1 },
  { name: 'open_files', label: 'Open files of one process', unit: '', per: 1 },
  { name: 'folder_bytes', label: 'Work folder', unit: 'MB', per: MEGA },
  { name: 'folder_files', label: 'Files in the work folder', unit: '', per: 1 },
  { name: 'output_bytes', label: 'Output, of each stream', unit: 'MB', per: MEGA },
  { name: 'result_bytes', label: 'Result', unit: 'MB', per: MEGA },
];

function RunLimits({
  limits,
  locked,
  change,
}: {
  limits: Limits;
  locked: boolean;
  change: (part: Partial<Limits>) => void;
}) {
  const installed = useQuery(sandboxQuery).data?.limits;
  return (
    <section aria-labelledby="run-limits">
      <Title order={2} fz="md" id="run-limits">
        Run limits
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        Bounds on what the code of skills may use when this agent runs them. The narrowest of installation,
        skill, agent and request holds; an empty field adds no bound.
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {fields.map(({ name, label, unit, per }) => {
          const usual = installed?.[name];
          return (
            <AmountInput
              key={name}
              label={label}
              placeholder={usual ? `${+(usual / per).toFixed(3)}${unit && ` ${unit}`} here` : 'no bound'}
              suffix={unit && ` ${unit}`}
              readOnly={locked}
              per={per}
              value={limits[name] ?? null}
              error={limits[name] === 0 ? 'More than nothing, or leave it empty' : null}
              onChange={(value) => change({ [name]: value })}
            />
          );
        })}
      </SimpleGrid>
    </section>
  );
}
