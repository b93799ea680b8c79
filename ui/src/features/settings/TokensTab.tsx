/** Tokens: what programs sign in with. */
import { Badge, Button, Group, SegmentedControl, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { api, call, type Schemas } from '@/api/client';
import { refresh } from '@/api/queries';
import { ask, failed, told } from '@/components/feedback';
import list from '@/components/list.module.css';
import { type Names, useNames } from '@/components/names';
import { Empty, Loaded } from '@/components/page';
import { Section } from '@/components/Section';
import { useStanding } from '@/components/standing';
import { Ago, ago } from '@/components/time';
import classes from './settings.module.css';
import { TokenForm } from './TokenForm';

type Token = Schemas['TokenView'];

export default function TokensTab() {
  const { admin, id } = useStanding();
  const { agent } = useSearch({ from: '/shell/settings/tokens' });
  const names = useNames();
  const [whose, setWhose] = useState<'own' | 'all'>('own');
  const tokens = useQuery({
    queryKey: ['tokens', whose],
    queryFn: () =>
      call(api.GET('/api/v1/tokens', { params: { query: { user: whose === 'all' ? 'all' : undefined } } })),
  });
  const create = useCallback(
    (forAgent?: string) =>
      modals.open({
        modalId: 'create-token',
        title: 'Create a token',
        size: 'lg',
        children: <TokenForm agent={forAgent ?? null} done={() => modals.close('create-token')} />,
      }),
    [],
  );
  // A link from an agent's page means a token for that agent.
  useEffect(() => {
    if (agent) create(agent);
  }, [agent, create]);

  const button = (
    <Button variant="filled" leftSection={<IconPlus size={18} />} onClick={() => create(agent)}>
      Create a token
    </Button>
  );
  return (
    <Section
      title="Tokens"
      about="Programs sign in with a token. It can do what its owner can do, within its scopes."
      actions={button}
    >
      {admin && (
        <div>
          <SegmentedControl
            size="xs"
            aria-label="Whose tokens"
            value={whose}
            onChange={(next) => setWhose(next as 'own' | 'all')}
            data={[
              { value: 'own', label: 'Yours' },
              { value: 'all', label: 'Everyone’s' },
            ]}
          />
        </div>
      )}
      <Loaded query={tokens}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={IconKey} title="No tokens yet">
              A host on another machine, a script or an SDK needs one. Bind it to an agent, and its bearer
              acts through that agent only.
            </Empty>
          ) : (
            <ul className={list.framed} aria-label="Tokens">
              {[...items].sort(byEndThenAge).map((token) => (
                <Row key={token.id} token={token} names={names} owner={token.user_id !== id} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

function ended(token: Token): boolean {
  return Boolean(token.revoked_at) || (token.expires_at ? new Date(token.expires_at) <= new Date() : false);
}

/** Those that work first, the newest of them first. */
function byEndThenAge(one: Token, other: Token): number {
  return Number(ended(one)) - Number(ended(other)) || other.created_at.localeCompare(one.created_at);
}

function Row({ token, names, owner }: { token: Token; names: Names; owner: boolean }) {
  const over = ended(token);
  const revoke = async () => {
    const sure = await ask({
      title: `Revoke ${token.name}?`,
      message: 'Whoever uses it is refused from now on. This cannot be undone.',
      confirm: 'Revoke',
    });
    if (!sure) return;
    try {
      await call(api.DELETE('/api/v1/tokens/{id}', { params: { path: { id: token.id } } }));
      told(`${token.name} was revoked`);
      await refresh('tokens');
    } catch (error) {
      failed(error);
    }
  };
  return (
    <li className={classes.row}>
      <div className={classes.main}>
        <Group gap="xs">
          <Text fw={600} c={over ? 'dimmed' : undefined}>
            {token.name}
          </Text>
          {token.revoked_at && <Badge color="red">Revoked</Badge>}
          {over && !token.revoked_at && <Badge color="gray">Expired</Badge>}
        </Group>
        <Text size="sm" c="dimmed" component="div">
          {owner && <>{names.user(token.user_id)}, </>}
          {token.agent_id && <>through {names.agent(token.agent_id)}, </>}
          made <Ago at={token.created_at} span inherit />
          {token.expires_at && !over && <>, ends {ago(token.expires_at)}</>}
        </Text>
      </div>
      <Group gap={4} className={classes.marks}>
        {token.scopes.map((scope) => (
          <Badge key={scope} color="gray" variant="default">
            {scope}
          </Badge>
        ))}
      </Group>
      {!over && (
        <Button
          size="xs"
          color="red"
          variant="light"
          onClick={() => void revoke()}
          aria-label={`Revoke ${token.name}`}
        >
          Revoke
        </Button>
      )}
    </li>
  );
}
