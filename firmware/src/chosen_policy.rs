//! How a drive has the policy that its board has chosen.

/// Makes the modules of a kind's policies and `Chosen`, the one that the board has chosen. The kind's own macro adds
/// what `Chosen` answers.
macro_rules! chosen_policy {
    ($field:ident, $names:ident; $($module:ident, $policy:ident;)*) => {
        $(mod $module;)*

        /// The policy that the board has chosen.
        #[derive(Clone, Debug)]
        #[cfg_attr(feature = "state", derive(borsh::BorshSerialize, borsh::BorshDeserialize))]
        pub(crate) enum Chosen {
            $($policy($module::$policy),)*
        }

        impl Chosen {
            /// The policy that a board's configuration has chosen.
            pub fn new(config: &contract::Configuration) -> Self {
                let contract::Chosen { policy, settings } = &config.policies.$field;
                match policy {
                    $(contract::$names::$policy => {
                        Chosen::$policy(Policy::new(config, settings))
                    })*
                }
            }
        }

        /// Keys of each policy's own.
        pub(crate) const KEYS: &[&[contract::PolicyKey]] =
            &[$(<$module::$policy as Policy>::KEYS),*];
    };
}

pub(crate) use chosen_policy;
