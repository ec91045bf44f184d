# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

"""Checks of an installed lbmsim on a machine, for ReFrame 4.

    reframe -C settings.py -c lbmsim_check.py -r
    reframe -C settings.py -c lbmsim_check.py -S modules=lbmsim/1.0.0 -t doctor -r

| check | tag | asks |
|---|---|---|
| LbmsimDoctor | doctor | may a job start on so many nodes, and how fast are links and disk |
| LbmsimValidation | validation | does the program get the values that the cases expect |
| LbmsimSameState | state | do all ranks leave the files that one rank leaves, bit for bit |
| LbmsimScaling | scaling | how well do many ranks scale beside one |

What depends on the machine stands in the settings, as `extras` of a partition:

    'extras': {'lbmsim': {
        'max_nodes': 4,            # checks on more nodes are skipped; 1 if not given
        'ranks_per_node': 4,       # its GPUs, else its sockets, if not given
        'cpus_per_rank': 8,        # the node's cores / ranks, if not given
        'output': '/lustre/x',     # where doctor tries the disk; the stage folder if not given
        'alone': 'srun -n 1',      # starts one rank in a job, where the batch script itself cannot
        'reference': {             # ReFrame's tuples: value, lower, upper limit, unit
            'LbmsimDoctor': {'latency_between_nodes': [2.0, None, 0.5, 'us']},
            'LbmsimScaling': {'weak_512_peer_efficiency': [0.98, -0.02, None, '1'],
                              'weak_512_peer_efficiency@2': [0.97, -0.02, None, '1']},
        }}}

A name with `@N` holds on N nodes. A quantity without a reference is recorded alone.
"""

import json
import os
import re

import reframe as rfm
import reframe.utility.sanity as sn

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.environ.get('LBMSIM_HOME', os.path.dirname(os.path.dirname(HERE)))
NODES = [1, 2, 4, 8, 16, 32, 64]

# Of the short form of the validation book: cases that take seconds.
CASES = {
    'couette': [],
    'shear_wave': [],
    'shear_wave_3d': [],
    'taylor_green_2d': [],
    'channel_force': [],
    'channel_pressure': [],
    'outflow_pulse': [],
    'pipe': [],
    'cylinders': [],
}


class LbmsimBase(rfm.RunOnlyRegressionTest):
    """What all checks share: the program, its ranks and devices."""

    # The module of the site sets LBMSIM; else the program is that in PATH.
    program = variable(str, value='"${LBMSIM:-lbmsim}"')
    valid_systems = ['*']
    valid_prog_environs = ['*']
    time_limit = '15m'
    maintainers = ['lbmsim']

    @property
    def site(self):
        return self.current_partition.extras.get('lbmsim', {})

    @property
    def nodes(self):
        return getattr(self, 'num_nodes', 1)

    @property
    def gpus(self):
        return sum(d.num_devices or 0 for d in self.current_partition.devices if d.type == 'gpu')

    @property
    def device(self):
        return 'cuda' if self.gpus else 'cpu'

    @run_after('init')
    def set_description(self):
        self.descr = type(self).__doc__

    @run_after('setup')
    def set_ranks(self):
        most = self.site.get('max_nodes', 1)
        self.skip_if(self.nodes > most, f'this partition lends {most} nodes (max_nodes)')
        cpu = self.current_partition.processor
        ranks = self.site.get('ranks_per_node') or self.gpus or cpu.num_sockets or 1
        self.num_tasks_per_node = ranks
        self.num_tasks = ranks * self.nodes
        cores = (cpu.num_cores or 0) // ranks
        self.num_cpus_per_task = self.site.get('cpus_per_rank') or cores or None
        if self.gpus:
            # One of the partition's `resources`, for schedulers that want GPUs by number.
            self.extra_resources = {'gpu': {'num_gpus_per_node': self.gpus}}

    @run_before('run')
    def set_program(self):
        self.executable = self.program
        # Schedulers without accounting do not report how lbmsim ended.
        self.postrun_cmds = ['echo "exit code $?"']

    def ended_well(self):
        return sn.assert_found(r'^exit code 0$', self.stdout, 'the program failed')

    def text(self):
        """What the program has written to its standard output."""
        path = os.path.join(self.stagedir, str(self.stdout))
        if not os.path.exists(path):  # --dry-run
            return ''
        with open(path) as f:
            return f.read()

    def record(self, values):
        """Quantities {name: (value, unit)}, with the references that the site has for them."""
        wanted = self.site.get('reference', {}).get(self.unique_name.split('_')[0], {})
        held = {}
        for name, (value, unit) in values.items():
            self.perf_variables[name] = sn.make_performance_function(sn.defer(value), unit)
            reference = wanted.get(f'{name}@{self.nodes}', wanted.get(name))
            if reference:
                held[name] = tuple(reference)
        if held:
            self.reference = {self.current_partition.fullname: held}


@rfm.simple_test
class LbmsimDoctor(LbmsimBase):
    """lbmsim doctor: ranks, devices, links and disk."""

    num_nodes = parameter(NODES)
    tags = {'doctor', 'site'}
    time_limit = '5m'

    @run_before('run')
    def set_arguments(self):
        self.executable_opts = ['doctor', '--device', self.device, '--output', self.site.get('output', 'doctor')]

    @sanity_function
    def may_start(self):
        # As many ranks as were started: with the wrong MPI library each is alone.
        return sn.all([
            self.ended_well(),
            sn.assert_found(r'^ready to run', self.stdout),
            sn.assert_found(rf'^lbmsim .*\b{self.num_tasks} ranks?\b', self.stdout, 'not all ranks found each other'),
        ])

    @run_before('performance')
    def set_performance(self):
        text = self.text()
        number = r'([\d.e+-]+)'
        patterns = {}
        for place in ('inside a node', 'between nodes'):
            name = place.replace(' a ', ' ').replace(' ', '_')
            patterns[f'latency_{name}'] = (rf'{place}, .*?bytes in {number} us', 'us')
            patterns[f'bandwidth_{name}'] = (rf'{place}, .*?16 MiB at {number} GB/s', 'GB/s')
        patterns['copies_to_gpu'] = (rf'copies to it at {number} GB/s', 'GB/s')
        patterns['copies_from_gpu'] = (rf'from it at {number} GB/s', 'GB/s')
        patterns['disk'] = (rf'MiB in .* at {number} MB/s on the disk', 'MB/s')
        found = {name: (re.search(pattern, text), unit) for name, (pattern, unit) in patterns.items()}
        self.record({name: (float(m.group(1)), unit) for name, (m, unit) in found.items() if m})


@rfm.simple_test
class LbmsimValidation(LbmsimBase):
    """A case of the validation book, whose values the program itself holds to [expect]."""

    case = parameter(CASES)
    tags = {'validation', 'site'}
    time_limit = '10m'

    @run_after('setup')
    def set_two_ranks(self):
        # The cases are small. LbmsimSameState is the check of many ranks.
        self.num_tasks = self.num_tasks_per_node = min(2, self.num_tasks_per_node)

    @run_before('run')
    def set_arguments(self):
        file = os.path.join(ROOT, 'cases', 'validation', self.case + '.toml')
        self.skip_if(not os.path.exists(file), f'there is no {file}')
        self.executable_opts = ['run', f"'{file}'", '--device', self.device, '--output', 'out', *CASES[self.case]]

    @sanity_function
    def values_are_met(self):
        return sn.all([
            self.ended_well(),
            sn.assert_found(r'^all steps done', self.stdout),
            sn.assert_found(r'^ +expect ok', self.stdout),
            sn.assert_not_found(r'^ +expect (?!ok)', self.stdout),
        ])


@rfm.simple_test
class LbmsimSameState(LbmsimBase):
    """A run on all ranks and one on a single rank leave the same numbers."""

    num_nodes = parameter(NODES)
    tags = {'state', 'site'}

    @run_after('setup')
    def needs_ranks(self):
        self.skip_if(self.num_tasks < 2, 'one rank')

    @run_before('run')
    def set_arguments(self):
        planes = max(48, 6 * self.num_tasks)
        common = ['run', 'box.toml', '--device', self.device, '--set', f"'domain.cells=[48, 48, {planes}]'"]
        self.executable_opts = [*common, '--output', 'all']
        one = ' '.join([self.program, *common, '--output', 'one'])
        self.postrun_cmds += [
            f'{self.alone} {one}'.strip() + '; echo "alone: exit code $?"',
            f'{self.program} diff all one; echo "difference: exit code $?"',
        ]

    @property
    def alone(self):
        """What starts one rank in a job: nothing, unless the site says."""
        return self.site.get('alone', '')

    @sanity_function
    def same_numbers(self):
        return sn.all([
            self.ended_well(),
            sn.assert_found(r'^alone: exit code 0$', self.stdout, 'one rank alone failed'),
            sn.assert_found(r'^difference: exit code 0$', self.stdout, 'many ranks have other numbers than one'),
        ])


@rfm.simple_test
class LbmsimScaling(LbmsimBase):
    """lbmsim bench scaling: all ranks of so many nodes, beside one that computes alone."""

    num_nodes = parameter(NODES)
    # As the program has them, unless given: -S LbmsimScaling.weak=256
    weak = variable(str, value='')
    strong = variable(str, value='')
    rounds = variable(int, value=0)
    seconds = variable(float, value=0.0)
    tags = {'scaling', 'site'}
    time_limit = '30m'

    @run_after('setup')
    def needs_ranks(self):
        self.skip_if(self.num_tasks < 2, 'one rank has nothing to scale')

    @run_before('run')
    def set_arguments(self):
        self.executable_opts = ['bench', 'scaling', '--json', '--device', self.device, '--ranks', str(self.num_tasks)]
        for name in ('weak', 'strong', 'rounds', 'seconds'):
            value = getattr(self, name)
            if value:
                self.executable_opts += ['--' + name, str(value)]

    def rows(self):
        """What was measured on all ranks."""
        found = [json.loads(line) for line in self.text().splitlines() if line.startswith('{"part":"scaling"')]
        return [r for r in found if r['ranks'] == self.num_tasks]

    @sanity_function
    def computed_right(self):
        rows = self.rows()
        return sn.all([
            self.ended_well(),
            sn.assert_true(rows, msg=f'nothing measured on {self.num_tasks} ranks'),
            # The state of one rank, bit for bit, and the kernels beside float64.
            sn.assert_true(all(r['verified'] for r in rows), msg='not held to the state of one rank'),
            sn.assert_true(all(r['nodes'] == self.num_nodes for r in rows), msg=f'not on {self.num_nodes} nodes'),
        ])

    @run_before('performance')
    def set_performance(self):
        values = {}
        for r in self.rows():
            size = list(r['size'])
            if r['kind'] == 'weak':
                size = [n // p for n, p in zip(size, r['parts'])]
            size = str(size[0]) if len(set(size)) == 1 else 'x'.join(map(str, size))
            name = f"{r['kind']}_{size}_{r['transport']}"
            values[name + '_efficiency'] = (r['efficiency'], '1')
            values[name + '_speed'] = (r['mlups'], 'MLUPS')
        self.record(values)
