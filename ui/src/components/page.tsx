/** The frame of every page: its heading, and what stands in place of what is not there. */
import { Alert, Box, Button, Group, Skeleton, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { IconAlertTriangle, IconPlugConnectedX } from '@tabler/icons-react';
import { type ComponentType, type ReactNode, useEffect } from 'react';
import { ApiError, messageOf } from '@/api/client';
import classes from './page.module.css';

type Icon = ComponentType<{ size?: number | string; stroke?: number }>;

type PageProps = {
  title: string;
  description?: ReactNode;
  /** What stands left of the title. */
  icon?: ReactNode;
  /** What stands beside the title, such as badges. */
  aside?: ReactNode;
  /** Buttons at the right. */
  actions?: ReactNode;
  /** Whether the buttons are few enough to stay beside the title on a phone. */
  beside?: boolean;
  /** Above the title: the way back. */
  above?: ReactNode;
  /** Pages of running text are narrower. */
  width?: 'wide' | 'text';
  children: ReactNode;
};

export function Page({
  title,
  description,
  icon,
  aside,
  actions,
  beside = false,
  above,
  width = 'wide',
  children,
}: PageProps) {
  useEffect(() => {
    document.title = `${title} · Repertoire`;
  }, [title]);
  return (
    <Box className={classes.page} data-width={width}>
      {above}
      <Box component="header" className={classes.header} data-beside={beside || undefined}>
        {icon && <div className={classes.icon}>{icon}</div>}
        <Group gap="xs" className={classes.heading}>
          <Title order={1} className={classes.title}>
            {title}
          </Title>
          {aside}
        </Group>
        {description && (
          <Text c="dimmed" maw="46rem" component="div" className={classes.about}>
            {description}
          </Text>
        )}
        {actions && (
          <Group gap="xs" className={classes.actions}>
            {actions}
          </Group>
        )}
      </Box>
      {children}
    </Box>
  );
}

type EmptyProps = { icon: Icon; title: string; children?: ReactNode; actions?: ReactNode };

/** What stands where a list is empty: what would be here, and how it gets here. */
export function Empty({ icon: Mark, title, children, actions }: EmptyProps) {
  return (
    <Stack align="center" gap="xs" py={56} px="md" className={classes.empty}>
      <ThemeIcon size={48} radius="xl" variant="light" aria-hidden>
        <Mark size={26} stroke={1.6} />
      </ThemeIcon>
      <Text fw={600} fz="lg" ta="center">
        {title}
      </Text>
      {children && (
        <Text c="dimmed" ta="center" maw="34rem" component="div">
          {children}
        </Text>
      )}
      {actions && (
        <Group mt="xs" justify="center">
          {actions}
        </Group>
      )}
    </Stack>
  );
}

/** What stands where something could not be read. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const offline = error instanceof ApiError && error.isOffline;
  return (
    <Alert
      color="red"
      variant="light"
      icon={offline ? <IconPlugConnectedX size={20} /> : <IconAlertTriangle size={20} />}
      title={offline ? 'No connection' : 'That did not work'}
      role="alert"
    >
      <Text size="sm">{messageOf(error)}</Text>
      {retry && (
        <Button size="xs" mt="sm" onClick={retry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}

/** The shape of a list before it is there. */
export function ListSkeleton({ rows = 8, height = 56 }: { rows?: number; height?: number }) {
  return (
    <Stack gap="xs" aria-busy="true" aria-label="Loading" role="status">
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={height} radius="md" style={{ opacity: 1 - row * 0.1 }} />
      ))}
    </Stack>
  );
}

/** The shape of a page before it is there. */
export function PageSkeleton() {
  return (
    <Box className={classes.page} aria-busy="true" aria-label="Loading" role="status">
      <Skeleton height={30} width={260} mb="sm" />
      <Skeleton height={16} width={420} maw="100%" mb="xl" />
      <ListSkeleton rows={6} />
    </Box>
  );
}

type QueryLike<T> = { data: T | undefined; error: unknown; isPending: boolean; refetch: () => unknown };

/** Shows a query: its skeleton, its failure, or what it read. What is known stays while it is read again. */
export function Loaded<T>({
  query,
  skeleton = <ListSkeleton />,
  children,
}: {
  query: QueryLike<T>;
  skeleton?: ReactNode;
  children: (data: T) => ReactNode;
}) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error) return <Failure error={query.error} retry={() => void query.refetch()} />;
  return <>{skeleton}</>;
}
